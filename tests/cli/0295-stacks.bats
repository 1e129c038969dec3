# Stacks deeper than the copy in a sample, and signal handlers on alternate stacks: completed paths
# are right, and the other paths are cut.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	[ "$(uname -m)" = x86_64 ] || skip "return addresses can be watched on x86 only"
	local mode
	for mode in bottom slow fast longjmp threads exec; do
		record deep-$mode.data --deep-stacks -- "$WORKLOADS/deep" 0.4 $mode
		count_callers deep-$mode --recursion descend=1500 below_left=via_left below_right=via_right
	done
	record default.data -- "$WORKLOADS/deep" 0.4 bottom
	record bare.data --no-deep-stacks -- "$WORKLOADS/deep" 0.3 bottom
	record_contexts plain.data -z 0 --deep-stacks -- "$WORKLOADS/deep" 0.3 slow
	for mode in short long nested deep jump threads storm; do
		record_contexts handlers-$mode.data --deep-stacks -- "$WORKLOADS/altstack" 0.6 $mode
		count_callers handlers-$mode seen_left=via_left seen_right=via_right
	done
	record_contexts signals.data -z 0 --deep-stacks -- "$WORKLOADS/altstack" 0.3 nested
}

without_bpf() { # without_bpf COMMAND... : where it is refused, contexts of signals are recorded
	"$ROOT/tests/cli/without_system_call.py" bpf EPERM "$@"
}

record_contexts() { # as record
	local file=$1
	shift
	without_bpf "$DENDRO" record -q -e cpu-clock -F 997 -o "$file" "$@"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# count_callers NAME ARGUMENTS... : NAME.counted contains how many samples are right, wrong, cut
count_callers() {
	local name=$1
	shift
	"$DENDRO" script "$name.data" |
		python3 "$ROOT/tests/oracle/true_callers.py" "$@" >"$name.counted"
}

counted() { # counted NAME KIND
	grep -o "$2 [0-9]*" "$1.counted" | cut -d ' ' -f 2
}

need_debug_registers() {
	"$DENDRO" report deep-bottom.data --depth 3 >deep-bottom.text
	! grep -q 'debug registers do nothing in this virtual machine' deep-bottom.text ||
		skip "debug registers do nothing in this virtual machine"
	[ "$(counted deep-bottom right)" -gt 0 ] ||
		[ "$(id -u)" -eq 0 ] || skip "this user may not watch, or read, other processes"
}

need_signal_events() {
	[ -r /sys/kernel/tracing/events/signal/signal_deliver/id ] ||
		[ -r /sys/kernel/debug/tracing/events/signal/signal_deliver/id ] ||
		skip "no tracefs, or no permission to read it"
}

@test "the rest of a deep stack is read: depth and callers are right" {
	need_debug_registers
	show cat deep-bottom.counted
	local right
	right=$(counted deep-bottom right)
	expect_at_least "right" "$right" $((right + $(counted deep-bottom cut))) 50
	expect_equal wrong "$(counted deep-bottom wrong)" 0
}

@test "two alternating callers of one recursion are not confused" {
	need_debug_registers
	local mode
	for mode in slow fast longjmp threads exec; do
		show sed "s/^/$mode: /" deep-$mode.counted
		expect_equal "wrong, $mode" "$(counted deep-$mode wrong)" 0
	done
	[ "$(counted deep-slow right)" -gt 0 ]
	[ "$(counted deep-longjmp right)" -gt 0 ]
	[ "$(counted deep-threads right)" -gt 0 ]
}

@test "frames read from the thread while it runs are marked, counted and shown" {
	need_debug_registers
	[ "$(report_json deep-bottom.data --view functions | jq .quality.stitched)" -ge \
		"$(counted deep-bottom right)" ]
	"$DENDRO" report deep-bottom.data --depth 3 | grep -E 'paths? completed from stack memory recorded apart from samples'
	"$DENDRO" script deep-bottom.data >script
	grep -q 'via_left.*\[stitched\]' script
	lacks 'below_left.*\[stitched\]' script
}

@test "by default stacks are completed, or the report says that watching is not safe here" {
	need_debug_registers
	"$DENDRO" report default.data --depth 3 >text
	show cat text
	if grep -q 'not safe to watch in this virtual machine (--deep-stacks)' text; then
		expect_equal stitched "$(report_json default.data --view functions | jq .quality.stitched)" 0
	else
		grep -E 'paths? completed from stack memory recorded apart from samples' text
	fi
}

@test "with --no-deep-stacks a deep stack is cut" {
	report_json bare.data --view functions >json
	expect_equal stitched "$(jq .quality.stitched json)" 0
	[ "$(jq .quality.unwind.stack_cut json)" -gt "$(jq '.quality.samples / 2 | floor' json)" ]
}

@test "the interrupted function is the caller of a handler on an alternate stack" {
	need_signal_events
	local mode right
	for mode in short long nested jump threads; do
		show sed "s/^/$mode: /" handlers-$mode.counted
		expect_equal "wrong, $mode" "$(counted handlers-$mode wrong)" 0
		right=$(counted handlers-$mode right)
		expect_at_least "right, $mode" "$right" $((right +
			$(counted handlers-$mode cut) + $(counted handlers-$mode unfinished))) 90
	done
}

@test "no false callers appear in handlers over deep recursion and with many signals" {
	local mode
	for mode in deep storm; do
		show sed "s/^/$mode: /" handlers-$mode.counted
		expect_equal "wrong, $mode" "$(counted handlers-$mode wrong)" 0
		expect_equal "lost, $mode" \
			"$(report_json handlers-$mode.data --view functions | jq .quality.lost)" 0
	done
}

@test "other readers count the same samples" {
	need perf
	local file
	for file in deep-slow.data plain.data handlers-nested.data signals.data; do
		perf script -i $file -F event,time -G >lines 2>errors
		expect_equal "complaints about $file" "$(cat errors)" ""
		expect_equal "samples of $file" "$(grep -c . lines)" \
			"$(report_json $file --view functions | jq '.metrics[0].samples')"
		expect_equal "walked samples of $file" "$(walked_samples $file)" "$(grep -c . lines)"
	done
}

@test "a recording with stack records may end at any byte, and may be damaged" {
	local file i size status
	for file in plain.data signals.data; do
		size=$(stat -c %s $file)
		for ((i = 1; i <= 6; i++)); do
			head -c $((size * i / 6 - i)) $file >cut.data
			python3 "$ROOT/tests/oracle/damage.py" $i <$file >damaged.data
			for damaged in cut.data damaged.data; do
				status=0
				timeout 60 "$DENDRO" report --view functions $damaged >/dev/null 2>errors ||
					status=$?
				[ $status -lt 99 ] || { cat errors; return 1; }
			done
		done
	done
}

# hidden COMMAND... : runs the command where neither tracepoints nor BPF are available.
hidden() {
	without_tracefs "$ROOT/tests/cli/without_system_call.py" bpf EPERM "$@"
}

@test "where the tracepoint of signals is not available, recorder and report say so" {
	need_root
	need_without_tracefs
	hidden "$DENDRO" record -e cpu-clock -F 997 -o hidden.data -- \
		"$WORKLOADS/altstack" 0.4 long 2>hidden.said
	expect_equal lines "$(grep -c 'no tracefs is mounted' hidden.said)" 1
	hidden "$DENDRO" record -q -e cpu-clock -o quiet.data -- true 2>quiet.said
	[ ! -s quiet.said ]
	report_json hidden.data | jq .quality >hidden.quality
	show jq -c .why hidden.quality
	[ "$(jq .unwind.other_stack hidden.quality)" -gt 0 ]
	expect_equal bad_memory "$(jq .unwind.bad_memory hidden.quality)" 0
	jq -r .why.other_stack hidden.quality | grep -q 'no tracefs is mounted'
	"$DENDRO" report hidden.data | grep -q 'the stacks that signals interrupted were not recorded'
}

@test "a report without paths that end at another stack does not say why they would" {
	report_json plain.data --view functions | jq .quality >plain.quality
	expect_equal "paths that end there" "$(jq .unwind.other_stack plain.quality)" 0
	expect_equal why "$(jq -c .why.other_stack plain.quality)" null
}
