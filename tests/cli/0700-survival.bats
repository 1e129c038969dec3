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

# record_on_disk SIZE OPTION... -- COMMAND... : onto a disk that is too small; leaves cut.data and $output
record_on_disk() {
	local size=$1
	shift
	mkdir -p disk
	mount -t tmpfs -o size="$size" tmpfs disk || skip "no tmpfs may be mounted here"
	run timeout 600 "$DENDRO" record -e cpu-clock -F 4000 -o disk/cut.data "$@"
	cp disk/cut.data cut.data
	umount disk
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"No space left"* || "$output" == *full* ]]
}

# The message has the number of samples that cut.data has, and their time.
expect_kept() {
	local kept
	kept=$(sed -n 's/.* ends there; kept: \([0-9 ]*\) samples\{0,1\} of \([0-9.]*\) s, .* [KM]iB\.$/\1=\2/p' <<<"$output")
	expect_equal samples "$(tr -d ' ' <<<"${kept%=*}")" "$(walked_samples cut.data 2>/dev/null)"
	expect_equal seconds "${kept#*=}" "$(report_json cut.data |
		jq '.times.duration_ns // 0' | awk '{ printf "%.2f\n", $1 / 1e9 }')"
	lacks -q '^\[ dendro' <<<"$output"
}

@test "on a full disk the written part is readable, kernel names included" {
	need_root
	need python3
	record_on_disk 24m -z 0 -- "$WORKLOADS/reader" 8
	check_readable
	expect_kept
}

@test "where hardly more than the kernel's names fit, the message says so" {
	need_root
	need python3
	"$DENDRO" record -q -e cpu-clock -o none.data -- true
	record_on_disk $((($(stat -c %s none.data) / 4096 + 8) * 4096)) -- "$WORKLOADS/reader" 2
	expect_kept
}
