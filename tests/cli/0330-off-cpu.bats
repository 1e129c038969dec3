# Time off the CPU, compared with the times that the waiting threads measured: its path, length and
# kind are right.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_switches
	cd "$BATS_FILE_TMPDIR"
	record command.data -e off-cpu,cpu-clock -- \
		"$WORKLOADS/off_cpu" 1 naps convoy pipe hogs disk >command.measured
	report_json command.data --event off-cpu >command
	report_json command.data --by thread >threads
	record kinds.data -e off-cpu -- "$WORKLOADS/off_cpu" 0.5 kinds >kinds.measured
	report_json kinds.data >kinds
	record system.data -e off-cpu -a -- "$WORKLOADS/off_cpu" 0.5 naps pipe hogs >system.measured
	report_json system.data --comm off_cpu >system # jq reads no trees as deep as others may be
	report_json system.data --view processes >processes
	record late.data -e off-cpu -D 500 -- "$WORKLOADS/off_cpu" 1 naps pipe >late.measured
	report_json late.data --by thread >late
	attach
	record_to_the_end
	record_deadlock
	record_wakers
}

# The processors whose idle threads have events. A processor of a virtual machine that was offline
# may lack them until the machine starts again, for every profiler: wakings by its interrupts, too.
processors_seen_idle() {
	record idle.data -a -z 0 -e power:cpu_idle -- sleep 0.3
	"$DENDRO" script -F tid,cpu idle.data | sed -nE 's/^ *0 +\[([0-9]+)\].*/\1/p' | sort -u | paste -sd,
}

# Of a command, with threads that wake each other; and from outside, of a process that runs already.
record_wakers() {
	local processors
	processors=$(processors_seen_idle)
	record wakers.data -e off-cpu --waker -- taskset -c "${processors:-0}" \
		"$WORKLOADS/off_cpu" 0.5 naps convoy pipe kinds >/dev/null
	report_json wakers.data >wakers
	mkfifo fed.fifo
	cat fed.fifo >/dev/null &
	local reader=$!
	exec 7>fed.fifo
	record fed.data -e off-cpu -z 0 --waker -p $reader -- bash -c \
		'"$0" 0.5 naps & for i in {1..10}; do sleep 0.02; echo x >&7; done; wait' \
		"$WORKLOADS/off_cpu" >/dev/null
	exec 7>&-
	wait $reader
	echo $reader >fed.pid
	report_json fed.data >fed
}

# Threads that sleep when the recording begins, and when it ends; attached.data and its report.
attach() {
	"$WORKLOADS/off_cpu" 20 naps convoy pipe >attached.measured &
	local pid=$!
	until [ "$(find /proc/$pid/task -mindepth 1 -maxdepth 1 | wc -l)" -eq 7 ]; do sleep 0.01; done
	record attached.data -e off-cpu,cpu-clock -p $pid -d 0.7
	kill $pid
	wait $pid || true
	report_json attached.data --by thread >attached
	"$DENDRO" report attached.data >attached.text
}

# The main thread waits from before the recording until the others have ended.
record_to_the_end() {
	"$WORKLOADS/off_cpu" 3 naps pipe >/dev/null &
	local pid=$!
	wait_until has_threads $pid 4
	record ended.data -e off-cpu -p $pid
	wait $pid
	report_json ended.data --by thread >ended
}

# All three threads wait: dead.data, and what record printed; dead.locks has where the locks are.
record_deadlock() {
	"$WORKLOADS/off_cpu" 1 deadlock >dead.locks &
	local pid=$!
	wait_until waits_for_good $pid
	"$DENDRO" record -v -o dead.data -e off-cpu -p $pid -d 0.3 2>dead.notes
	kill $pid
	wait $pid || true
	report_json dead.data --by thread >dead
	"$DENDRO" report dead.data >dead.text
	"$DENDRO" script dead.data >dead.script
}

waits_for_good() { # waits_for_good PID : three threads are in futex()
	[ "$(cat /proc/"$1"/task/*/wchan 2>/dev/null | grep -o futex | wc -l)" -eq 3 ]
}

child_waits_for_good() { # child_waits_for_good PID
	waits_for_good "$(pgrep -P "$1" -x off_cpu)"
}

# Before Linux 6.1 there are no iterators of one thread.
need_waiting_threads() {
	lacks "could not be read" dead.notes || skip "$(grep "could not be read" dead.notes)"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# All values are of the first metric, off-cpu, in ns.
off_under() { # off_under REPORT CONDITION : below the outermost nodes that it holds for
	ask "$1" "def down: if $2 then .total[0] else ([.children[] | down] | add // 0) end;
		tree | down"
}

# off_marked REPORT FUNCTION MARK : the cost below the function that has the mark
off_marked() {
	ask "$1" '[tree | .. | objects | select(.name? == $name) | .. | objects
		| select(.name? == $mark and .kind == "marker") | .total[0]] | add // 0' \
		--arg name "$2" --arg mark "$3"
}

# waited REPORT FUNCTION : what it waited for, without its waits for a processor
waited() {
	echo $(($(off_under "$1" ".name == \"$2\"") - $(off_marked "$1" "$2" "[preempted]")))
}

expect_mark() { # expect_mark REPORT FUNCTION MARK PERCENT
	expect_at_least "$2: $3" "$(off_marked "$1" "$2" "$3")" "$(waited "$1" "$2")" "$4"
}

measured() { # measured FILE FUNCTION
	awk -v name="$2" '$1 == "wait" && $2 == name { print $3 }' "$1"
}

expect_preempted() { # expect_preempted REPORT MEASURED FUNCTION : it waits for a processor alone
	expect_near "$3" "$(off_under "$1" ".name == \"$3\"")" "$(measured "$2" "$3")" 5
}

# expect_waits REPORT MEASURED FUNCTION... : ns, within 5 %. A thread can be preempted before it looks at
# the clock or after it: such time may be in the measured one or not.
expect_waits() {
	local report=$1 file=$2 name all measured waited
	shift 2
	for name; do
		all=$(off_under "$report" ".name == \"$name\"")
		measured=$(measured "$file" "$name")
		waited=$(waited "$report" "$name")
		expect_at_least "$name: all of the measured time" "$all" "$measured" 95
		expect_at_least "$name: the measured time is all of its waits" "$measured" "$waited" 95
	done
}

@test "waits for sleep, lock, pipe and processor have their time and path" {
	show expect_waits command command.measured nap hold_lock contend wait_for_pipe
	show expect_preempted command command.measured burn
}

@test "a read from the disk has its time, and is marked as I/O" {
	[ -n "$(measured command.measured read_disk)" ] || skip "this file system has no direct reads"
	show expect_waits command command.measured read_disk
	expect_at_least "waiting: I/O" "$(off_marked command read_disk "[waiting: I/O]")" \
		"$(off_under command '.name == "read_disk"')" 50
	expect_equal "I/O elsewhere" "$(off_marked command nap "[waiting: I/O]")" 0
}

@test "waiting for a processor is distinguished from other waiting" {
	expect_at_least "burn: [preempted]" "$(off_marked command burn "[preempted]")" \
		"$(off_under command '.name == "burn"')" 99
}

@test "what a thread waits for is its innermost frame" {
	expect_mark command nap "[sleeping]" 95
	expect_mark command hold_lock "[sleeping]" 95
	expect_mark command contend "[waiting: lock]" 95
	expect_mark command wait_for_pipe "[waiting: pipe]" 95
	expect_waits kinds kinds.measured wait_to_poll wait_for_socket wait_for_child
	expect_mark kinds wait_to_poll "[waiting: poll]" 95
	expect_mark kinds wait_for_socket "[waiting: socket]" 95
	expect_mark kinds wait_for_child "[waiting: child]" 95
}

@test "what a thread waits for is known without the kernel's frames, too" {
	report_json command.data --event off-cpu --kernel none >without
	expect_mark without contend "[waiting: lock]" 95
	"$DENDRO" script command.data >listing
	grep -q '\[waiting: lock\]' listing
	"$DENDRO" script kinds.data | grep -q '\[waiting: child\]'
}

@test "each wait has one path" {
	[ "$(ask command '[parents_of("contend")] | flatten | unique | .[]')" = convoy_main ]
	[ "$(ask command '[parents_of("hold_lock")] | flatten | unique | .[]')" = convoy_main ]
	[ "$(ask command '[parents_of("wait_for_pipe")] | flatten | unique | .[]')" = reader_main ]
	[ "$(ask command '[parents_of("nap")] | flatten | sort | join(" ")')" = "napper_main writer_main" ]
}

@test "the time off the CPU and the thread's own CPU time add up to its life" {
	local name life on off
	while read -r _ name life on; do
		# In its function: before and after it the thread does not look at the clock. Where others
		# get the processor just before the first look or after the last, some tens of ms are off.
		off=$(ask threads 'def inside: if .name | test("_main$") then .total[0]
				else .children[] | inside end;
			[tree.children[].children[] | select(.name == $name) | inside] | add' --arg name "$name")
		show expect_near "$name, off $((off / 1000000)) and on $((on / 1000000)) ms" \
			$((off + on)) "$life" 5
	done < <(grep ^thread command.measured)
}

# The clock's event samples each slice of time on the CPU at a phase of its own, so the busier the
# machine, the more the sum varies: 4.5 standard errors of as many independent samples bound it.
# Where a hypervisor delays the clock's interrupts, periods have no sample, but are counted.
@test "the sampled time on the CPU is the threads' own CPU time" {
	local on measured
	on=$(ask threads '[named_nodes[] | select(.kind == "thread" and .name != "off_cpu") | .total[1]] | add')
	on=$(jq --argjson on "$on" '.metrics[1] | $on * .counted / .total | round' threads)
	measured=$(awk '/^thread/ { sum += $4 } END { print sum }' command.measured)
	show expect_near "on the CPU" "$on" "$measured" \
		"$(jq '450 / (.metrics[1].samples | sqrt)' threads)"
}

# conserved REPORT FILE [N] : the times in the tree, in the listing and in the file are equal. N samples
# at most are left out: threads that were read when sampling began may have switched just before.
conserved() {
	jq -e '.metrics[0].total as $all | .nodes[0][3][0] == $all and
		([.nodes[][2][0]] | add) == $all' "$1"
	"$DENDRO" script "$2" | awk -v total="$(jq '.metrics[0].total' "$1")" '
		/^[^\t]/ && $(NF) == "off-cpu:" { sum += $(NF - 1) }
		END { printf "%.0f ns listed, %.0f in the tree\n", sum, total; exit sum != total }'
	local n_missing
	n_missing=$(jq '.quality.unwind | .not_yet_run + .off_before + .switch_lost' "$1")
	n_missing=$(($(walked_samples "$2") + n_missing - $(jq '[.metrics[].samples] | add' "$1")))
	echo "samples of $2, and times without one, that are not in $1: $n_missing"
	[ "$n_missing" -ge 0 ] && [ "$n_missing" -le "${3:-0}" ]
}

@test "tree, listing and file have the same time off the CPU" {
	need python3
	conserved threads command.data
	conserved attached attached.data 7
	jq -e '[.rows[].total[0]] | add' processes >sum
	expect_equal "the whole machine's time" "$(cat sum)" "$(jq '.metrics[0].total' processes)"
}

@test "all of a second off the CPU is counted" {
	jq -c '.quality | {lost, off_cpu}' threads
	jq -e '.quality | .lost == 0 and .off_cpu.unpaired == 0 and .off_cpu.doubtful == 0 and
		.unwind.switch_lost == 0' threads
}

@test "attached threads are counted from the begin of the recording to its end" {
	local window
	window=$(sed -n 's/^recording .*, \([0-9.]*\) \(m*s\)$/\1 \2/p' attached.text |
		awk '{ printf "%.0f\n", $1 * ($2 == "s" ? 1e9 : 1e6) }')
	# The main thread waits for the others all the time.
	expect_equal threads "$(ask attached '([named_nodes[] | select(.kind == "thread")] | length)
		+ .quality.off_cpu.silent_threads')" 7
	while read -r name off on; do
		show expect_near "$name" $((off + on)) "$window" 3
	done < <(ask attached 'named_nodes[] | select(.kind == "thread")
		| "\(.name) \(.total[0]) \(.total[1])"')
	[ "$(jq '.quality.off_cpu.off_at_end' attached)" -gt 0 ]
	grep -E "threads? off the CPU when the recording ended" attached.text
}

@test "a wait that began before the recording and ends in it has its path" {
	need_waiting_threads
	local thread='.kind == "thread" and .name == "off_cpu"'
	expect_at_least "waiting: lock" "$(off_marked ended main "[waiting: lock]")" \
		"$(off_under ended "$thread")" 95
	expect_equal "all the time" "$(off_marked ended main "[off the CPU all the time]")" 0
}

@test "threads in a deadlock show their locks and paths, though they never run" {
	need_waiting_threads
	expect_equal threads "$(ask dead '[named_nodes[] | select(.kind == "thread")] | length')" 3
	expect_equal "threads without time" "$(jq '.quality.off_cpu.silent_threads' dead)" 0
	expect_mark dead lock_second "[waiting: lock]" 100
	expect_mark dead lock_second "[off the CPU all the time]" 100
	expect_mark dead main "[waiting: lock]" 100
	[ "$(ask dead '[parents_of("lock_second")] | flatten | sort | join(" ")')" = "left_main right_main" ]
	local lock
	for lock in $(sed -n 's/^locks //p' dead.locks); do
		expect_mark dead lock_second "[lock $lock]" 50
		grep -qF "[lock $lock]" dead.text
		grep -qF "[lock $lock]" dead.script
	done
	grep -q "off the CPU all the time" dead.text
	grep -q "3 threads never ran: 3 of them were read" dead.notes
	lacks -q "no samples" dead.notes
}

@test "the report has the number of waits, their mean and the longest" {
	grep -q "^ *total *time *waits *mean *longest *call path" dead.text || grep -q could dead.notes
	"$DENDRO" report --view functions kinds.data >kinds.text
	grep -q "^ *total *time *self *waits *mean *longest *function" kinds.text
	ask kinds '[named_nodes[] | select(.name == "wait_for_child")][0]
		| .longest <= .total[0] and .waits * .longest >= .total[0] and .waits > 0' | grep -x true
	expect_near "the longest wait for a child" \
		"$(ask kinds '[named_nodes[] | select(.name == "wait_for_child") | .longest] | max')" \
		"$(ask kinds '[named_nodes[] | select(.name == "[waiting: child]") | .longest] | max')" 0
	"$DENDRO" report --format csv kinds.data | grep -q '"off-cpu samples","off-cpu longest"'
}

# woken REPORT FUNCTION MARK : how many waits below the function have a mark like this. Not how long:
# one may be as long as all others, where the machine stood still.
woken() {
	ask "$1" '[tree | .. | objects | select(.name? == $name) | .. | objects
		| select((.name? // "" | test($mark)) and .kind == "marker") | .waits // 0] | add // 0' \
		--arg name "$2" --arg mark "$3"
}

# Of what the function waited: nobody ends the time in which it could run.
expect_waker() { # expect_waker REPORT FUNCTION WAKER PERCENT
	expect_at_least "$2: $3" "$(woken "$1" "$2" "$3")" \
		"$(woken "$1" "$2" '^\[(waiting|sleeping)')" "$4"
}

@test "who ended a wait is on its path" {
	expect_waker wakers contend '^\[woken by convoy-[012]/[0-9]+\]$' 90
	expect_waker wakers wait_for_pipe '^\[woken by writer/[0-9]+\]$' 90
	expect_waker wakers wait_for_child '^\[woken by kinds/[0-9]+\]$' 90
	expect_waker wakers nap '^\[woken by (an interrupt|a softirq.*)\]$' 90
	expect_equal "readers that wake themselves" "$(woken wakers wait_for_pipe 'woken by reader/')" 0
	"$DENDRO" script wakers.data | grep -q '\[woken by writer/[0-9]*\]'
}

# The threads of the waking records of an uncompressed recording, once each (docs/FORMAT.md).
woken_threads() { # woken_threads FILE
	python3 - "$1" <<-'END'
		import re, struct, sys
		bytes_of = open(sys.argv[1], "rb").read()
		found = {struct.unpack_from("<i", bytes_of, at.start() + 16)[0]
		         for at in re.finditer(b"DNDWAKE1", bytes_of)}
		print(*sorted(found))
	END
}

@test "a waker that is not recorded has its name, and others are not in the recording" {
	expect_at_least "woken by the shell" "$(woken fed cat '^\[woken by bash/[0-9]+\]$')" \
		"$(woken fed cat 'woken by')" 50
	lacks "woken by napper" fed
	# A softirq that woke the reader may have run in any thread.
	expect_equal "threads whose wakings were written" "$(woken_threads fed.data)" "$(cat fed.pid)"
}

@test "a recording without --waker has no wakers" {
	lacks "woken by" command
}

@test "--waker is refused without off-cpu, and without privilege, with a remedy" {
	refuses "--waker" "-e off-cpu" -- "$DENDRO" record --waker true
	need setpriv
	setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$DENDRO" ||
		skip "nobody cannot reach the program under test"
	refuses "root" -- setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$DENDRO" record -o nowhere.data --waker -e off-cpu true
}

@test "a wait that begins while recording and does not end shows its lock" {
	"$DENDRO" record -q -o begun.data -e off-cpu -- "$WORKLOADS/off_cpu" 1 deadlock >begun.locks &
	local recorder=$!
	wait_until child_waits_for_good $recorder
	sleep 0.3
	kill -INT $recorder
	wait $recorder || true
	report_json begun.data >begun
	local lock
	for lock in $(sed -n 's/^locks //p' begun.locks); do
		expect_mark begun lock_second "[lock $lock]" 45
	done
	expect_equal "all the time" "$(off_marked begun lock_second "[off the CPU all the time]")" 0
}

@test "system-wide: waits have their time, and idle processors do not count" {
	show expect_waits system system.measured nap wait_for_pipe
	show expect_preempted system system.measured burn
	expect_equal "idle processors" "$(jq '[.rows[] | select(.name == "swapper")] | length' processes)" 0
}

@test "time off the CPU before the end of a delay does not count" {
	local off life
	off=$(ask late '[named_nodes[] | select(.kind == "thread" and .name == "napper") | .total[0]] | add')
	life=$(awk '$1 == "thread" && $2 == "napper" { print $3 }' late.measured)
	echo "$off of $life ns"
	[ "$off" -lt $((life - 100000000)) ]
	[ "$off" -gt 0 ]
	[ "$(jq '.quality.unwind.off_before' late)" -gt 0 ]
}

@test "off-cpu has the same cost next to events that are read as a group" {
	record group.data -e off-cpu -e '{task-clock,page-faults}:S' -- \
		"$WORKLOADS/off_cpu" 0.3 naps >group.measured
	report_json group.data --event off-cpu >group
	show expect_waits group group.measured nap
}

@test "the number of switches is not shown as a time" {
	jq -e '.metrics[0] | .event == "off-cpu" and .unit == "ns" and has("counted") == false' threads
	lacks "off-cpu.* counted" attached.text
}

@test "perf reads the switches and the samples" {
	need perf
	record plain.data -e off-cpu -z 0 -- "$WORKLOADS/off_cpu" 0.1 naps pipe >/dev/null
	perf script -i plain.data --show-switch-events >listing 2>errors
	expect_equal samples "$(grep -c 'off-cpu: prev_comm' listing)" "$(walked_samples plain.data)"
	grep -q 'PERF_RECORD_SWITCH IN' listing
}

@test "a recording that was cut has the times up to its end" {
	head -c -60000 command.data >cut.data
	report_json cut.data --event off-cpu >cut
	jq -e '.metrics[0].total > 0 and .nodes[0][3][0] == .metrics[0].total' cut
}

@test "options that off-cpu cannot follow are refused, with a remedy" {
	refuses "off-cpu" "-C" -- "$DENDRO" record -e off-cpu -C 0 true
	refuses "off-cpu" "modifiers" -- "$DENDRO" record -e off-cpu:u true
	refuses "off-cpu" "--filter" -- "$DENDRO" record -e off-cpu --filter 'prev_prio < 100' true
	refuses "off-cpu" "group" -- "$DENDRO" record -e '{task-clock,off-cpu}:S' true
	need_without_tracefs
	refuses "mount -t tracefs" -- without_tracefs "$DENDRO" record -e off-cpu true
}

@test "off-cpu is refused without privilege, and no other event is recorded instead" {
	need setpriv
	setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$DENDRO" ||
		skip "nobody cannot reach the program under test"
	refuses "root" -- setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$DENDRO" record -o nowhere.data -e off-cpu true
}
