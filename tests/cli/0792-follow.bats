# A report of a recording that is still written.

# shellcheck disable=SC2164
load lib

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "${recorder-}" ] || kill -KILL "$recorder" 2>/dev/null || true
	[ -z "${target-}" ] || kill -KILL "$target" 2>/dev/null || true
}

has_samples() {
	grep -Eq '^dendro report: .* [1-9][0-9]* samples?, ' shown
}

is_recorded() {
	[ -s grown.data ]
}

start_recording() {
	"$WORKLOADS/threads" 600 3>&- &
	target=$!
	"$DENDRO" record -q -F 997 -e cpu-clock -o grown.data -p $target 3>&- 2>notes &
	recorder=$!
	wait_until is_recorded
}

@test "a recording is shown while it is written, and reported at its end" {
	start_recording
	"$DENDRO" report --follow grown.data 3>&- >shown &
	local reader=$!
	wait_until has_samples
	kill -INT $recorder
	wait $recorder || true
	wait $reader
	"$DENDRO" report grown.data >report.txt
	# What follows the last table is the report, whatever was shown before.
	tail -n "$(wc -l <report.txt)" shown | diff - report.txt
	grep '^dendro report: ' shown | sed -E 's/.*no samples so far.*/0/; s/.* ([0-9]+) samples?, .*/\1/' >counts
	sort -n -c counts
	[ "$(tail -1 counts)" -le "$("$DENDRO" report --format json grown.data | jq .metrics[0].samples)" ]
}

@test "a recorder that is killed ends it: what was written is reported, and what happened" {
	start_recording
	"$DENDRO" report --follow grown.data 3>&- >shown 2>messages &
	local reader=$!
	wait_until has_samples
	kill -KILL $recorder
	wait $reader || true
	grep -q 'the recorder did not finish this file' shown messages
	grep -q '^call paths ' shown
}

@test "a recording that is whole is reported at once" {
	"$DENDRO" record -q -F 997 -e cpu-clock -o whole.data -- "$WORKLOADS/cxx" 0.1
	"$DENDRO" report --follow whole.data >followed.txt
	"$DENDRO" report whole.data >report.txt
	cmp followed.txt report.txt
}

@test "the view and the filters hold for what is shown" {
	start_recording
	"$DENDRO" report --follow --view processes --kernel none --comm threads grown.data 3>&- >shown &
	local reader=$!
	wait_until has_samples
	kill -INT $recorder
	wait $reader
	grep -A2 '^dendro report: .* [1-9][0-9]* sample' shown | grep -q '100.00% .* threads'
}

@test "what cannot be followed is refused" {
	local options
	for options in "-" "a.data b.data" "--format json a.data" "--html a.html a.data" \
		"--time 10%-20% a.data" "--focus main a.data" "--compare f,g a.data"; do
		# shellcheck disable=SC2086
		run "$DENDRO" report --follow $options
		expect_equal "status of $options" "$status" 129
		[[ $output == "dendro report: --follow "* ]]
	done
	run "$DENDRO" report --follow missing.data
	expect_equal status "$status" 1
	[[ $output == *"missing.data: No such file"* ]]
}
