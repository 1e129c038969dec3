# Recordings whose output is a profile: dendro record -o FILE.cct.
# alone: of the whole machine; programs that other tests remove meanwhile have other names when the
# same records are read again

# shellcheck disable=SC2164
load lib

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "${recorder-}" ] || kill -KILL $recorder "$builder" "$command" 2>/dev/null || true
}

# record_both OPTION... -- COMMAND... : a profile while recording, live.cct, and what dendro build makes
# of the same records, built.cct
record_both() {
	rm -f stream
	ASAN_OPTIONS=verify_asan_link_order=0 TEE_STREAM=$PWD/stream LD_PRELOAD=$WORKLOADS/libtee_stream.so \
		"$DENDRO" record -q -o live.cct "$@"
	[ -s stream ] || skip "a pipe may not be larger than usual here"
	"$DENDRO" build -o built.cct stream
}

samples_of() { # samples_of FILE [NAME]: of all events, or what the report's header counts as NAME
	"$DENDRO" report --format json "$1" |
		jq --arg name "${2-}" 'if $name == "" then [.metrics[].samples] | add
			else .quality.unwind[$name] end'
}

expect_same_profile() { # expect_same_profile N : and it has more than N samples
	cmp live.cct built.cct
	[ "$(samples_of live.cct)" -gt "$1" ]
}

# Of the test's own programs: files of others that run meanwhile may be gone when the second profile
# is built.
expect_same_programs() { # expect_same_programs N : and they have more than N samples
	local file
	for file in live built; do
		"$DENDRO" report --format json --comm threads --comm forkexec --comm forked --comm execed \
			--comm cxx $file.cct >$file.json
	done
	cmp live.json built.json
	[ "$(jq '.metrics[0].samples' live.json)" -gt "$1" ]
}

@test "a profile that is built while recording is that of the same records" {
	record_both -F 997 -e cpu-clock -- "$WORKLOADS/cxx" 0.5
	expect_same_profile 100
	expect_at_least "complete paths" "$(samples_of live.cct complete)" "$(samples_of live.cct)" 90
	record_both -F 997 -e cpu-clock -e page-faults -e off-cpu -- "$WORKLOADS/threads" 0.3
	expect_same_profile 100
	record_both -F 997 -e cpu-clock -- "$WORKLOADS/forkexec" 0.3
	expect_same_profile 10
}

@test "so is that of the whole machine" {
	need_root
	record_both -F 997 -e cpu-clock -a -- "$WORKLOADS/cxx" 0.5
	expect_same_programs 100
	jq -e '.rows | any(.name == "cxx")' <("$DENDRO" report --format json --view processes --by comm live.cct ||
		"$DENDRO" report --format json --view processes live.cct)
}

@test "so is that of the whole machine at a high rate" {
	need_root
	record_both -F 5000 -e cpu-clock -a -- sh -c "'$WORKLOADS/threads' 0.5; '$WORKLOADS/forkexec' 0.3; '$WORKLOADS/cxx' 0.3"
	expect_same_programs 500
}

@test "so is that of a process that runs already" {
	"$WORKLOADS/threads" 600 3>&- &
	local target=$!
	record_both -F 997 -e cpu-clock -p $target -- "$BATS_TEST_DIRNAME/until_worked" 30 $target
	stop $target
	expect_same_profile 10
	"$DENDRO" report --format json --view functions live.cct | jq -e '.rows | any(.kind == "user")'
}

@test "names of JIT code are in it" {
	need node
	record_both -F 997 -e cpu-clock -- node --perf-basic-prof -e '
		function spinning() { let s = 0; for (let i = 0; i < 1e6; i++) s += Math.sqrt(i); return s; }
		const end = Date.now() + 1000; while (Date.now() < end) spinning();'
	expect_same_profile 100
	"$DENDRO" report --format json --view functions live.cct |
		jq -e '.rows | any(.name | test("spinning"))'
}

@test "the summary and the exit status are those of a recording" {
	run "$DENDRO" record -o live.cct -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	[[ "$output" == *" in live.cct, 0 lost"* ]]
	"$DENDRO" record -q -o live.cct -- "$WORKLOADS/cxx" 0.1
	[ -s live.cct.old ]
	[ "$(stat -c %a live.cct)" = 600 ]
}

@test "a command that cannot run leaves an older profile unchanged" {
	echo older >live.cct
	local status=0
	"$DENDRO" record -o live.cct -- /nowhere/at/all || status=$?
	[ $status -eq 127 ]
	[ "$(cat live.cct)" = older ]
	refuses "cannot write '/nowhere/live.cct'" -- "$DENDRO" record -o /nowhere/live.cct -- true
}

@test "options of recordings alone are refused" {
	refuses "leave out -z" -- "$DENDRO" record -z 3 -o live.cct -- true
	refuses "limit the time with -d" -- "$DENDRO" record --max-size 1M -o live.cct -- true
	[ ! -e live.cct ]
}

# start_recorder : in the background, of a program that runs for ten minutes; $builder is the process
# that builds the profile.
start_recorder() {
	need pgrep
	setsid "$DENDRO" record -q -F 997 -e cpu-clock -o live.cct -- "$WORKLOADS/deep" 600 bottom 3>&- 2>messages &
	recorder=$!
	wait_until pgrep -x -P $recorder deep
	command=$(pgrep -x -P $recorder deep)
	builder=$(pgrep -P $recorder | grep -vx "$command")
}

@test "SIGINT to all processes of a terminal, and SIGTERM, end it with a whole profile" {
	local signal
	for signal in INT TERM; do
		start_recorder
		"$BATS_TEST_DIRNAME/until_worked" 20 "$command"
		kill -$signal -- -$recorder
		wait $recorder || true
		cat messages
		[ "$(samples_of live.cct)" -gt 10 ]
		"$DENDRO" report live.cct >text
		lacks 'did not finish' text
	done
}

@test "a killed recorder leaves the profile of what came until then" {
	start_recorder
	"$BATS_TEST_DIRNAME/until_worked" 30 "$command"
	stop $recorder
	kill -KILL "$command"
	wait_until test -s live.cct
	wait_until test ! -e "/proc/$builder"
	[ "$(samples_of live.cct)" -gt 10 ]
	"$DENDRO" report live.cct >text
	grep 'did not finish' text
}

@test "a killed builder is reported" {
	start_recorder
	"$BATS_TEST_DIRNAME/until_worked" 20 "$command"
	kill -KILL "$builder"
	local status=0
	wait $recorder || status=$?
	[ $status -eq 1 ]
	grep -q 'was ended by signal 9 .*there is no profile' messages
}

@test "a builder that hangs is ended, and reported" {
	start_recorder
	kill -STOP "$builder"
	kill -TERM $recorder
	local result=0
	wait $recorder || result=$?
	[ $result -eq 1 ]
	grep -q "the process that builds the profile took no time for half a minute, so it was ended: there is no profile." messages
	[ ! -e live.cct ] || [ ! -s live.cct ]
}

@test "samples that could not be unwound in time are counted, and keep the rest" {
	start_recorder
	kill -STOP "$builder"
	# Each second of the program gives some 60 MiB of stacks, of which 32 may wait.
	"$BATS_TEST_DIRNAME/until_worked" 100 "$command"
	kill -TERM $recorder
	wait_until test ! -e "/proc/$command/exe"
	kill -CONT "$builder"
	wait $recorder || true
	local all left_out
	all=$(samples_of live.cct)
	left_out=$(samples_of live.cct not_in_time)
	echo "$left_out of $all samples"
	[ "$left_out" -gt 0 ]
	[ "$left_out" -lt "$all" ]
	expect_equal "samples received" "$("$DENDRO" report --format json live.cct | jq .quality.samples)" "$all"
	"$DENDRO" report live.cct | grep -F '[stack not unwound in time]'
}

@test "on a full disk it fails and says so" {
	need_root
	mkdir disk
	mount -t tmpfs -o size=4k tmpfs disk || skip "no tmpfs may be mounted here"
	# One page of disk, of which nothing is left: the smallest profile doesn't fit.
	head -c 4096 /dev/zero >disk/other
	run "$DENDRO" record -o disk/live.cct -- "$WORKLOADS/cxx" 0.5
	umount disk
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"disk/live.cct: No space left on device"* ]]
	[[ "$output" != *"[ dendro:"* ]]
}
