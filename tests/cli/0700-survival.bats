# A recording is readable up to its end when the recorder was killed or the disk is full.

load lib

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
}

# The recording is readable and has the kernel's names, and the report says that it ends early.
check_readable() {
	report_json cut.data --view functions >functions
	local n
	n=$(jq '.metrics[0].samples' functions)
	echo "$n samples"
	[ "$n" -gt 50 ]
	jq -e '.rows | any(.kind == "kernel" and (.name | test("read|clear|zero|entry_SYSCALL|rep_stos")))' functions
}

start_recorder() { # start_recorder SECONDS : of a program that runs so long
	need pgrep
	rm -f cut.data
	"$DENDRO" record -q -e cpu-clock -F 997 -o cut.data -- "$WORKLOADS/reader" "$1" 3>&- &
	recorder=$!
}

kill_recorder() { # and what it recorded
	local command
	command=$(pgrep -P $recorder || true)
	stop $recorder
	# shellcheck disable=SC2086
	[ -z "$command" ] || kill -KILL $command
}

@test "after SIGKILL the recording is readable, kernel names included" {
	need_root
	local n
	# What is in the buffers is written four times a second.
	for n in 50 200 700; do
		start_recorder 600
		wait_until has_samples cut.data $n
		kill_recorder
		check_readable
	done
	"$DENDRO" report cut.data >text
	grep -q 'did not finish' text
}

@test "after SIGKILL before the first sample the recording is readable" {
	local delay
	for delay in 0 0.05 0.2 0.4; do
		start_recorder 600
		wait_until test -s cut.data
		sleep $delay
		kill_recorder
		"$DENDRO" report cut.data
	done
}

@test "on a full disk the written part is readable, kernel names included" {
	need_root
	mkdir -p disk
	mount -t tmpfs -o size=24m tmpfs disk || skip "no tmpfs may be mounted here"
	run timeout 600 "$DENDRO" record -e cpu-clock -F 4000 -z 0 -o disk/cut.data -- "$WORKLOADS/reader" 8
	cp disk/cut.data cut.data
	umount disk
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"No space left"* || "$output" == *full* ]]
	check_readable
}
