# Recordings and profiles of each release are read by all later ones: tests/data/formats has one of
# each, and what a report of them contains. turns-N.cct is version N of the format of profiles;
# turns-runs-N.cct has it as a merged one, turns-sums-N.cct as sums of slices of time.

load lib

setup() {
	cd "$BATS_TEST_DIRNAME/../data/formats" || exit
}

# The part of a report that the file alone decides, with a line for each node.
facts() { # facts FILE
	"$DENDRO" report --format json "$1" | jq -S -L "$BATS_TEST_DIRNAME" 'include "tree"; {
		command, machine, recorder, times,
		metrics: [.metrics[] | {event, unit, samples, total}],
		complete: .quality.unwind.complete,
		nodes: [nodes | "\(.path | join(";")) \(.kind) \(.self | round) \(.total | round)"]
	}'
}

@test "recordings of each release are read" {
	for release in */; do
		facts "${release}turns.data" | diff "${release}turns.json" -
	done
}

@test "profiles of each release are read" {
	for profile in */*.cct; do
		facts "$profile" | diff "${profile%/*}/turns.json" -
	done
}

@test "samples in profiles of each release are read" {
	for profile in */*.cct; do
		[[ $profile != *-sums-* ]] || continue
		for view in threads cpus; do
			for file in "$profile" "${profile%/*}/turns.data"; do
				"$DENDRO" report --view $view --time 10%-60% --format json "$file" |
					jq -S .nodes >"$BATS_TEST_TMPDIR/$(basename "$file").nodes"
			done
			cmp "$BATS_TEST_TMPDIR/$(basename "$profile").nodes" \
				"$BATS_TEST_TMPDIR/turns.data.nodes"
		done
	done
}

@test "recordings of each release become profiles" {
	for release in */; do
		"$DENDRO" build -o "$BATS_TEST_TMPDIR/turns.cct" "${release}turns.data"
		facts "$BATS_TEST_TMPDIR/turns.cct" | diff "${release}turns.json" -
	done
}
