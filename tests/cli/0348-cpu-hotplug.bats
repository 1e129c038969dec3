# CPUs that go offline, come back, or come at all during a recording.
# alone: it takes a CPU from the machine for a moment

load lib

CPU1=/sys/devices/system/cpu/cpu1/online

setup() {
	need_events
	need_root
	[ -e $CPU1 ] || skip "CPU 1 cannot be taken offline here"
	echo 1 2>/dev/null >$CPU1 || skip "CPUs cannot be switched here: $CPU1 cannot be written"
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ ! -e $CPU1 ] || switch_on
}

# The kernel refuses while it is busy with the last switch.
switch_on() {
	until echo 1 2>/dev/null >$CPU1; do
		sleep 0.02
	done
}

# Takes CPU 1 away for a moment, and gives it work before and after that.
switch_while_recording() {
	taskset -c 1 "$WORKLOADS/dispatch" 0.3
	echo 0 2>/dev/null >$CPU1 || return 1
	switch_on
	sleep 0.2
	taskset -c 1 "$WORKLOADS/dispatch" 0.5
}

@test "a CPU that comes back is recorded again, and the report shows when it was not" {
	need taskset
	export -f switch_while_recording switch_on
	export CPU1
	"$DENDRO" record -q -a -e cpu-clock -F 997 -o hotplug.data -- \
		bash -c switch_while_recording || skip "the kernel refuses to take CPU 1 offline"
	"$DENDRO" report hotplug.data >text
	grep -Eq 'CPU 1 was offline or not recorded from [0-9.]+ s to [0-9.]+ s' text
	report_json hotplug.data --view functions --cpu 1 --comm dispatch >json
	jq -e '.quality.cpu_gaps | length == 1' json
	jq -e '.quality.cpu_gaps[0] | .cpu == 1 and .start_ns < .end_ns' json
	# 0.3 s before the gap and 0.5 s after it, with all mappings.
	[ "$(jq '.quality.unwind.complete' json)" -gt 600 ]
}

come_while_recording() {
	switch_on
	# Its counters are opened meanwhile.
	sleep 0.2
	taskset -c 1 "$WORKLOADS/dispatch" 0.5
}

@test "a CPU that is offline at the start is recorded once it is online" {
	need taskset
	export -f come_while_recording switch_on
	export CPU1
	echo 0 2>/dev/null >$CPU1 || skip "the kernel refuses to take CPU 1 offline"
	"$DENDRO" record -q -a -e cpu-clock -F 997 -o hotplug.data -- bash -c come_while_recording
	report_json hotplug.data --view functions --cpu 1 --comm dispatch >json
	jq -e '.quality.cpu_gaps | length == 0' json
	[ "$(jq '.quality.unwind.complete' json)" -gt 300 ]
}

interrupt_after_switching() {
	echo 0 2>/dev/null >$CPU1 || return 1
	switch_on
	sleep 0.2
	taskset -c 1 "$WORKLOADS/altstack" 0.5 often
}

@test "a command's second stacks are recorded on a CPU that came back" {
	need taskset
	"$DENDRO" record -v -e cpu-clock -o tried.data true 2>tried
	grep -q 'stacks that threads had left' tried ||
		skip "BPF programs can't be used here: $(tail -n 1 tried)"
	export -f interrupt_after_switching switch_on
	export CPU1
	"$DENDRO" record -q -e cpu-clock -F 997 -o second.data -- \
		bash -c interrupt_after_switching || skip "the kernel refuses to take CPU 1 offline"
	report_json second.data --view functions --cpu 1 --comm altstack | jq .quality >quality
	show jq -c '{samples, unwind: (.unwind | with_entries(select(.value > 0)))}' quality
	expect_at_least complete "$(jq .unwind.complete quality)" "$(jq .samples quality)" 95
}
