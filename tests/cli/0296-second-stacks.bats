# Stacks that a thread has left for another: Go's scheduler and handlers on alternate stacks have
# callers, and the right ones.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need python3
	cd "$BATS_FILE_TMPDIR"
	"$DENDRO" record -v -e cpu-clock -o tried.data true 2>tried
	grep -q 'stacks that threads had left' tried || skip "BPF programs can't be used here"
	record often.data -- "$WORKLOADS/altstack" 0.6 often
	record storm.data -- "$WORKLOADS/altstack" 0.6 storm
	record nested.data -- "$WORKLOADS/altstack" 0.6 nested
	! command -v go >/dev/null || make_go_recordings
}

make_go_recordings() {
	HOME=$PWD GOFLAGS='' go build -o allocate "$ROOT/tests/workloads/languages/allocate.go"
	record go.data -- ./allocate 1500
	"$ROOT/tests/cli/without_system_call.py" bpf EPERM \
		"$DENDRO" record -q -e cpu-clock -F 997 -o refused.data -- ./allocate 300
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

callers() { # callers NAME LEAF=CALLER... : NAME.counted contains how many samples are right, wrong
	"$DENDRO" script "$1.data" | python3 "$ROOT/tests/oracle/true_callers.py" "${@:2}" >"$1.counted"
	show cat "$1.counted"
}

counted() { # counted NAME KIND
	grep -o "$2 [0-9]*" "$1.counted" | cut -d ' ' -f 2
}

# expect_callers NAME PERCENT LEAF=CALLER...
expect_callers() {
	callers "$1" "${@:3}"
	expect_equal "wrong, $1" "$(counted "$1" wrong)" 0
	local right
	right=$(counted "$1" right)
	expect_at_least "right, $1" "$right" \
		$((right + $(counted "$1" cut) + $(counted "$1" unfinished))) "$2"
}

# expect_complete NAME PERCENT
expect_complete() {
	report_json "$1.data" --view functions | jq .quality >"$1.quality"
	show jq -c '{samples, unwind: (.unwind | with_entries(select(.value > 0))), why}' "$1.quality"
	expect_equal "lost, $1" "$(jq .lost "$1.quality")" 0
	expect_at_least "complete, $1" "$(jq .unwind.complete "$1.quality")" \
		"$(jq .samples "$1.quality")" "$2"
}

@test "what Go does on its scheduler's stack is below the function that caused it" {
	need go
	expect_complete go 98
	[ "$(jq .stitched go.quality)" -gt "$(jq '.samples / 10 | floor' go.quality)" ]
	# Go's run time allocates, too: when it starts, for threads and goroutines of its own, in these,
	# for channels and queues of semaphores.
	local exceptions=() name
	for name in schedinit gcenable doInit1 acquireSudog allocm newproc1 makechan bgsweep bgscavenge \
		forcegchelper gcBgMarkWorker; do
		exceptions+=(--except "runtime.$name")
	done
	expect_callers go 98 "${exceptions[@]}" \
		'runtime.(*mcache).allocLarge=main.viaLarge' \
		'runtime.(*mcache).refill=main.viaSmall'
}

@test "the goroutine's frames continue from systemstack to its first function" {
	need go
	"$DENDRO" script go.data >script
	awk '/^\t/ { path = path " " $2 }
		!/^\t/ { if (path ~ / runtime\.systemstack/) print path; path = "" }' script |
		sed 's/+0x[0-9a-f]*//g' >paths
	expect_at_least "from goexit" "$(grep -c ' runtime\.goexit[^ ]*$' paths)" \
		"$(grep -c . paths)" 98
	grep -q 'runtime.mallocgc .*main.via[A-Z][a-z]* main.main runtime.main runtime.goexit' paths
	grep -q ' runtime.gcDrain .* runtime.gcBgMarkWorker runtime.goexit' paths
}

@test "handlers on an alternate stack have callers when there are thousands in a second" {
	expect_complete often 95
	expect_callers often 95 seen_left=via_left seen_right=via_right
	[ "$(counted often right)" -gt 0 ]
	expect_complete storm 95
}

@test "a handler that interrupts another on the same stack has the right callers" {
	expect_callers nested 95 seen_left=via_left seen_right=via_right
}

@test "where BPF is refused, Go's paths end at systemstack and the report says why" {
	need go
	report_json refused.data --view functions | jq .quality >refused.quality
	show jq -c . refused.quality
	[ "$(jq .unwind.other_stack refused.quality)" -gt 0 ]
	jq -r .why.other_stack refused.quality | grep -q 'BPF: Operation not permitted'
}

@test "other readers count the same samples" {
	need perf
	perf script -i often.data -F event,time -G >lines 2>errors
	expect_equal complaints "$(cat errors)" ""
	expect_equal samples "$(grep -c . lines)" \
		"$(report_json often.data --view functions | jq '.metrics[0].samples')"
}
