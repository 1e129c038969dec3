# The command line of dendro record: which options it accepts and refuses, which processes it
# records, and how a recording ends.

load lib

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
}

# Standard error and standard output together in $output, the exit status in $status.
dendro_record() {
	status=0
	output=$("$DENDRO" record "$@" 2>&1) || status=$?
}

expect_status() {
	[ "$status" -eq "$1" ] || {
		echo "status $status, expected $1; it said: $output"
		return 1
	}
}

expect_output() { # expect_output PATTERN : a regular expression
	[[ $output =~ $1 ]] || {
		echo "expected '$1' in: $output"
		return 1
	}
}

samples_of() {
	report_json "$1" --view functions | jq '.metrics[0].samples'
}

@test "the exit status is the command's" {
	dendro_record -q -o x.data sh -c 'exit 7'
	expect_status 7
	dendro_record -q -o x.data true
	expect_status 0
}

@test "a command killed by a signal gives 128 and its number" {
	dendro_record -q -o x.data sh -c 'kill -KILL $$'
	expect_status 137
}

@test "a command that does not exist gives 127 and leaves an older recording unchanged" {
	echo old >dendro.data
	dendro_record no-such-command
	expect_status 127
	expect_output "cannot run 'no-such-command': No such file"
	[ "$(<dendro.data)" = old ]
	[ ! -e dendro.data.old ]
}

@test "a command that is not a program gives 126" {
	echo text >program
	dendro_record ./program
	expect_status 126
	expect_output "Permission denied"
}

@test "a command that fails only in exec is reported, too" {
	printf '#!/nowhere/interpreter\n' >program
	chmod +x program
	dendro_record ./program
	expect_status 127
	expect_output "cannot run './program': No such file"
}

@test "wrong use gives 129 and says what is wrong" {
	while IFS='|' read -r arguments message; do
		# shellcheck disable=SC2086
		dendro_record $arguments
		expect_status 129
		expect_output "$message"
		[ ! -e dendro.data ]
	done <<-'CASES'
		|nothing to record
		-F 0 true|-F takes a rate
		-F -5 true|-F takes a rate
		-F 1x true|-F takes a rate
		-c 0 true|-c takes a number
		-F 10 -c 10 true|leave out one
		-a -p 1|-a records every process
		-p 1 -t 1|-p and -t
		-p 1-|-p takes numbers
		-C 1, true|-C takes numbers
		-z 23 true|-z takes a level
		-z x true|-z takes a level
		-m 0 true|-m takes
		-m 1T true|-m takes
		-d 0 true|-d takes
		-d nan true|-d takes
		-D x true|-D takes
		--stack-size 7 true|multiple of 8
		--stack-size 65536 true|multiple of 8
		-q -v true|contradict
		-e no-such-event true|no-such-event
		--no-such-option|unknown option '--no-such-option'
		--durration 1 true|did you mean '--duration'
		-o|requires a value
	CASES
}

@test "--help goes to standard output and names every option" {
	"$DENDRO" record --help >help
	for option in -e -F -c -a -p -t -C -o --stack-size -z -d -D --no-inherit -m -v -q; do
		grep -q -e "$option" help
	done
}

@test "options after the command are the command's" {
	dendro_record -q -o x.data ls -a -F /dev/null
	expect_status 0
	expect_output /dev/null
	dendro_record -q -o x.data -- sh -c 'echo "$@"' sh -o y.data
	expect_output '^-o y.data$'
	[ ! -e y.data ]
}

@test "only the owner can read the file, and an older one is kept" {
	umask 000
	dendro_record -q true
	expect_equal mode "$(stat -c %a dendro.data)" 600
	echo old >dendro.data
	dendro_record -q true
	expect_equal "the older file" "$(<dendro.data.old)" old
}

@test "an output path that cannot be written is named in the message" {
	dendro_record -o nowhere/x.data true
	expect_status 1
	expect_output "cannot write 'nowhere/x.data': No such file or directory"
}

@test "an output file that is removed meanwhile is an error" {
	dendro_record -q -o gone.data sh -c 'rm gone.data'
	expect_status 1
	expect_output "'gone.data' was removed while it was being recorded: the recording is lost."
	[ ! -e gone.data ]
}

@test "a limit of memory is named, not the output file" {
	for kilobytes in 60000 100000 140000 190000 200000; do
		run sh -c "ulimit -v $kilobytes; exec '$DENDRO' record -q -o x.data true"
		[ "$status" -eq 0 ] || lacks "cannot write" <(echo "$output")
		[ "$status" -eq 0 ] || grep -Eq "memory|thread" <(echo "$output")
	done
}

@test "one line sums up time, samples, bytes and loss; -q prints nothing" {
	dendro_record -e cpu-clock -o x.data "$WORKLOADS/dispatch" 0.2
	expect_output '\[ dendro: [0-9.]+ s, [0-9 ]+ samples?, [0-9.]+ [KM]iB in x.data, 0 lost \]'
	dendro_record -q -o x.data true
	expect_equal output "$output" ""
}

@test "with -o - the command's output goes to standard error" {
	"$DENDRO" record -q -e cpu-clock -o - sh -c "echo words; '$WORKLOADS/dispatch' 0.3" >x.data 2>err
	grep -q words err
	! grep -aq words x.data || grep -aq PERFILE2 x.data
	[ "$(samples_of x.data)" -gt 50 ]
}

@test "-F and -c set the rate" {
	local rate
	for rate in "-F 100" "-c 10000000"; do
		# shellcheck disable=SC2086
		dendro_record -q -e cpu-clock $rate -o x.data "$WORKLOADS/dispatch" 1
		# In time on a processor, however much of it there was.
		show jq -e '.metrics[0] | .total / .samples / 1e6 | . > 8 and . < 12' \
			<(report_json x.data)
		[ "$(samples_of x.data)" -ge 5 ]
	done
}

@test "the command has the priority that dendro was started with" {
	for nice in 0 7; do
		nice -n $nice "$DENDRO" record -q -e cpu-clock -o nice.data -- cut -d ' ' -f 19 /proc/self/stat >shown
		[ "$(cat shown)" -eq "$(nice -n $nice cut -d ' ' -f 19 /proc/self/stat)" ]
	done
}

@test "children are followed, but not with --no-inherit" {
	dendro_record -q -e cpu-clock -o x.data sh -c "'$WORKLOADS/dispatch' 0.3; true"
	[ "$(samples_of x.data)" -gt 50 ]
	dendro_record -q -e cpu-clock --no-inherit -o x.data sh -c "'$WORKLOADS/dispatch' 0.3; true"
	[ "$(samples_of x.data)" -lt 50 ]
}

@test "-d ends a recording, and the command" {
	dendro_record -e cpu-clock -d 0.3 -o x.data sleep 100
	expect_status 143
	expect_output '\[ dendro: ([0-9.]+) s'
	awk -v seconds="${BASH_REMATCH[1]}" 'BEGIN { exit !(seconds >= 0.3 && seconds < 100) }'
}

@test "-D takes no samples until the delay is over" {
	need python3
	local before
	before=$(python3 -c 'import time; print(time.monotonic())')
	dendro_record -q -e cpu-clock -D 600 -o x.data "$WORKLOADS/dispatch" 2
	[ "$(samples_of x.data)" -gt 50 ]
	"$DENDRO" script x.data | awk -v before="$before" '/cpu-clock:/ {
		printf "the first sample after %.3f s\n", $4 - before
		exit !($4 - before >= 0.6) }'
	# What was mapped before is known all the same.
	report_json x.data --view functions >functions
	[ "$(total_of functions dispatch_2)" -gt 0 ]
}

@test "-p records every thread of a process, and ends with it" {
	"$WORKLOADS/threads" 2 &
	local pid=$!
	wait_until has_threads $pid 4
	dendro_record -e cpu-clock -p $pid -o x.data
	expect_status 0
	"$DENDRO" script x.data | awk '/^[^ ]/ { print $2 }' | sort -u >threads
	[ "$(wc -l <threads)" -ge 3 ]
}

@test "-t records one thread" {
	"$WORKLOADS/threads" 2 &
	local pid=$! tid
	wait_until has_threads $pid 4
	tid=$(ls "/proc/$pid/task" | tail -1)
	dendro_record -q -e cpu-clock -t "$tid" -o x.data
	expect_status 0
	expect_equal threads "$("$DENDRO" script x.data | awk '/^ *[^ \t]+ +[0-9]/ { print $2 }' | sort -u)" "$tid"
}

@test "a process or thread that does not exist is named in the message" {
	dendro_record -p 4194304
	expect_status 1
	expect_output "cannot record process 4194304"
	dendro_record -t 4194304
	expect_status 1
	expect_output "cannot record thread 4194304"
}

@test "process 0 is refused, and -a is named" {
	dendro_record -p 0
	expect_status 1
	expect_output "cannot record process 0 .-p.: it is the idle task of each CPU. Use -a"
	dendro_record -t 1,0
	expect_status 1
	expect_output "cannot record thread 0 .-t.: it is the idle task"
}

@test "-a records processes that the command did not start" {
	need_root
	"$WORKLOADS/dispatch" 60 3>&- &
	dendro_record -q -a -e cpu-clock -o x.data "$ROOT/tests/cli/until_worked" 20 $!
	stop $!
	expect_status 0
	report_json x.data --view functions >functions
	[ "$(total_of functions dispatch_2)" -gt 0 ]
}

@test "-C records one CPU only" {
	need_root
	dendro_record -q -e cpu-clock -C 0 -d 0.3 -o x.data
	expect_status 0
	expect_equal CPUs "$("$DENDRO" script x.data | grep -o '\[0[0-9]*\]' | sort -u)" "[000]"
	dendro_record -C 4000 true
	expect_status 1
	expect_output "CPU 4000 is not online"
}

@test "SIGINT and SIGTERM end a recording with a complete file" {
	need_root
	for signal in INT TERM; do
		"$DENDRO" record -q -a -e cpu-clock -o x.data 3>&- &
		local pid=$!
		wait_until has_samples x.data 0
		kill -$signal $pid
		wait $pid
		"$DENDRO" report x.data >text
		! grep -q 'did not finish' text
		[ "$(samples_of x.data)" -gt 0 ]
	done
}

@test "SIGTERM is passed to the command, whose exit status is returned" {
	"$DENDRO" record -q -o x.data sh -c 'trap "exit 5" TERM; >ready; while :; do sleep 0.1; done' 3>&- &
	local pid=$! status=0
	wait_until test -e ready
	kill -TERM $pid
	wait $pid || status=$?
	expect_equal status "$status" 5
}

@test "several events are recorded together" {
	dendro_record -q -e cpu-clock:u,page-faults -e task-clock -o x.data "$WORKLOADS/dispatch" 0.3
	expect_equal events "$(report_json x.data --view functions | jq '.metrics | length')" 3
}

@test "without privilege only user mode is recorded, and a note says so" {
	need_root
	need setpriv
	[ "$(</proc/sys/kernel/perf_event_paranoid)" -ge 2 ] || skip "everybody may record the kernel here"
	chmod 777 .
	setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$DENDRO" ||
		skip "nobody cannot reach the program under test"
	run setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$DENDRO" record -e cpu-clock -o x.data "$WORKLOADS/dispatch" 0.3
	expect_status 0
	expect_output "[Oo]nly user mode"
	[ "$(samples_of x.data)" -gt 50 ]
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$DENDRO" record -a true
	expect_status 1
	expect_output "perf_event_paranoid"
}

@test "where no branches are recorded, -b says so in one sentence and records" {
	for option in -b '-j any,u' '-b -j save_type'; do
		# shellcheck disable=SC2086 # two words
		"$DENDRO" record $option -e cpu-clock:u -o branches.data -- "$WORKLOADS/deep" 0.1 bottom 2>said
		expect_equal "sentences with $option" "$(grep -c 'No branches are recorded' said)" 1
		"$DENDRO" report branches.data | grep -q bottom
	done
}
