# Recursion that is deeper than the copy of the stack, and over before a guard is set: cut paths are
# joined to the callers that their frames had before, and to no others.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record_descents apart 60 apart
	record_descents alike 60 alike
	record_descents rare 60 alike 8
	record_descents thread 60 apart 1 thread
}

record_descents() { # record_descents NAME LEVELS MODE... : NAME.data, NAME.script, NAME.counted
	local name=$1
	shift
	"$DENDRO" record -q -e cpu-clock -F 1997 --deep-stacks -o "$name.data" -- "$WORKLOADS/descents" 1 "$@"
	"$DENDRO" script "$name.data" >"$name.script"
	python3 "$ROOT/tests/oracle/true_callers.py" --recursion outer_level=40 \
		on_left=via_left on_right=via_right <"$name.script" >"$name.counted"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

counted() { # counted NAME KIND
	grep -o "$2 [0-9]*" "$1.counted" | cut -d ' ' -f 2
}

joined_samples() { # joined_samples NAME
	awk 'BEGIN { RS = "" } /\[joined\]/ { n++ } END { print n + 0 }' "$1.script"
}

@test "cut paths are joined to the callers that their frames had before, which are right" {
	local name
	for name in apart thread; do
		show sed "s/^/$name: /" $name.counted
		expect_equal "wrong, $name" "$(counted $name wrong)" 0
		[ "$(joined_samples $name)" -gt 0 ]
	done
}

@test "two callers whose callees are the same, at the same places, leave paths cut" {
	local name
	for name in alike rare; do
		show sed "s/^/$name: /" $name.counted
		expect_equal "wrong, $name" "$(counted $name wrong)" 0
	done
	expect_equal "joined" "$(joined_samples alike)" 0
}

@test "joined paths are marked, and counted apart from complete ones" {
	local joined
	report_json apart.data --view functions | jq .quality >quality
	show jq -c .unwind quality
	joined=$(jq .unwind.joined quality)
	# script resolves one sample after the other, a report many at once.
	expect_equal "joined, in script" "$(joined_samples apart)" "$joined"
	expect_equal "all samples" "$(jq '.unwind | add' quality)" "$(jq .samples quality)"
	grep -q 'via_left.*\[joined\]' apart.script
	lacks 'on_left.*\[joined\]' apart.script
	"$DENDRO" report apart.data --depth 4 >text
	grep -q 'cut, joined by likeness to the callers of another sample' text
	grep -q 'joined)' text # also beside another mark
}
