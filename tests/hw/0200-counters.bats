# Sampling by overflow of hardware counters, in an emulated machine with a PMU. QEMU counts a cycle for
# each nanosecond of the guest's time; with -icount that is one for each instruction, so what is
# counted is exactly known, however busy the host is. Its limits: instructions are counted with
# -icount only, and their overflow is noticed at the next exception, so a cycles event stands beside
# them; instructions per cycle differ from 1 only where the processor is idle, or where the two events
# count in different modes; other events, such as cache events, count nothing. Two processors take turns,
# and both count the time.
# in turn (build/hw): what is built, booted and brought back lies in one folder

load lib

PERIOD=100003
ROUNDS=8 # of tests/hw/counters.job

setup_file() {
	load lib
	prepare build_and_boot
}

build_and_boot() {
	local workloads=$HW/workloads
	guest build &&
		APPEND="nokaslr norandmaps" boot counters counters.job "$HW/dendro/dendro" \
			"$workloads/counted" &&
		SMP=2 boot two_cpus two_cpus.job "$HW/dendro/dendro" "$workloads/counted" &&
		CPU=neoverse-n1,pmu=off boot no_counters no_counters.job "$HW/dendro/dendro" \
			"$workloads/threads"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR/counters"
}

counted() { # counted FILE WHAT EVENT : what the program counted itself
	awk -v what="$2" -v event="$3" '$1 == what && $2 == event { print $3 }' "$1"
}

samples_of() { # samples_of FILE EVENT [COLUMN] : by the walker of records; 4: weight, 5: with user part
	python3 "$ROOT/tests/oracle/walk_records.py" --user "$1" |
		awk -F '\t' -v event="$2" -v column="${3:-3}" '$2 == event { print $column }'
}

# Samples of an event, by its place in the list, below a function.
samples_below() { # samples_below FILE FUNCTION METRIC
	jq --arg name "$2" --argjson metric "$3" '.metrics[$metric] as $m
		| [.frames as $f | .nodes[] | select($f[.[1]].name == $name) | .[3][$metric]] | add // 0
		| . / ($m.total / $m.samples) | round' "$1"
}

between() { # between WHAT GOT LOW HIGH
	echo "$1: $2, expected $3 to $4"
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ]
}

# A function's samples are its count by the period, but for one that may fall to either side of each
# boundary between functions, and one by which an overflow may be noticed late.
expect_counts() { # expect_counts NAME EVENT METRIC
	local function count
	for function in computes reads does_both; do
		count=$(($(counted "$1.out" $function "$2") / PERIOD))
		between "$2 in $function" "$(samples_below "$1.tree" $function "$3")" \
			$((count - 2 * ROUNDS)) $((count + 2 * ROUNDS))
	done
}

@test "the machine has a PMU" {
	grep -qx armv8_pmuv3 devices
}

@test "cycles in user mode: samples = count / period, exactly" {
	local count samples
	count=$(counted plain command cycles:u)
	expect_equal "cycles counted again" "$(counted again command cycles:u)" "$count"
	samples=$(samples_of user.data cycles:u)
	echo "#> cycles:u: $count / $PERIOD = $((count / PERIOD)), $samples samples" >&3
	expect_equal samples "$samples" $((count / PERIOD))
	expect_equal "weight in the report" "$(jq '.metrics[0].total' user.tree)" $((samples * PERIOD))
}

@test "cycles: samples = count / period, the kernel's included" {
	local count start samples
	# What the program counted, and what was before and after: its start, counted apart.
	count=$(counted all.out all cycles)
	start=$(($(counted start command cycles) - $(counted start all cycles)))
	samples=$(samples_of all.data cycles)
	echo "#> cycles: $count (+ $start) / $PERIOD = $(((count + start) / PERIOD)), $samples samples" >&3
	between samples "$samples" $((count / PERIOD)) $(((count + 2 * start) / PERIOD))
	expect_equal "samples in the report" "$(jq .quality.samples all.tree)" "$samples"
	expect_equal lost "$(jq .quality.lost all.tree)" 0
	expect_equal throttled "$(jq .quality.throttled all.tree)" 0
	expect_counts all cycles 0
}

@test "instructions: samples = count / period, with cycles beside them" {
	local count samples
	count=$(counted plain command instructions:u)
	samples=$(samples_of both.data instructions:u)
	echo "#> instructions:u: $count / $PERIOD = $((count / PERIOD)), $samples samples" >&3
	expect_equal samples "$samples" $((count / PERIOD))
}

@test "every sample has user registers and a stack" {
	local event file
	while read -r file event; do
		expect_equal "$event in $file" "$(samples_of $file.data $event 5)" \
			"$(samples_of $file.data $event)"
	done <<-FILES
		user cycles:u
		all cycles
		both cycles
		both instructions:u
	FILES
	[ "$(samples_of user.data cycles:u)" -gt 1000 ]
}

@test "every path is complete, and one that the program takes" {
	local file wrong
	local functions="computes( leaf)?|reads( read(@plt)?)?|does_both( leaf| read(@plt)?)?"
	# The first call of a function in another file passes through the loader, which has no symbols.
	local loader="ld-linux-aarch64\.so\.1\+0x[0-9a-f]+"
	functions+="|(add )?read_counters( read(@plt)?)?|add|(open_counters|print|open|close)( [^ ]+)*"
	for file in user all both ipc rate default; do
		[ "$(jq '.quality | .unwind as $u | .samples - $u.complete - $u.exec' $file.tree)" -eq 0 ]
		ask $file.tree 'nodes | select(.self > 0) | . as $n
			| [range(.path | length) | select($n.kinds[.] != "kernel" and
				$n.path[.] != "[kernel]") | $n.path[.]]
			| select(index("main")) | .[index("main"):] | join(" ")' | sort -u >paths
		wrong=$(grep -Evx "main( ($functions)( $loader)*)?" paths || true)
		echo "$file: $wrong"
		[ -z "$wrong" ]
		grep -qFx "main computes leaf" paths
	done
}

@test "the kernel's part of a path is below the call that entered it" {
	# On its way back a call has the kernel's put-off work done, or another process run; its last
	# part may be a tail call.
	local work="(do_el0_svc|do_notify_resume|blkcg_maybe_throttle_current)"
	local call="\[kernel\] el0t_64_sync el0t_64_sync_handler el0_svc $work.*"
	local interrupt="\[kernel\] el0t_64_irq el0t_64_irq_handler .*" # anywhere; it may reschedule
	ask all.tree 'nodes | select(.self > 0 and .kind == "kernel")
		| "\(.self | round) \(from_main)"' | grep -E "^[0-9]+ main (reads|does_both) " >paths
	cat paths
	lacks -Evx "[0-9]+ main (reads|does_both)( read $call|( [^ ]+)? $interrupt)" paths
	# Random numbers for the stack's offset take some of each system call.
	awk '{ all += $1 } / ksys_read vfs_read / { read += $1 }
		END { print read " of " all " in vfs_read"; exit !(all > 1000 && read > all / 2) }' paths
}

@test "instructions per cycle, by context" {
	local function cycles instructions
	expect_counts both cycles 0
	expect_counts both instructions:u 1
	for function in computes reads does_both; do
		cycles=$(samples_below both.tree $function 0)
		instructions=$(samples_below both.tree $function 1)
		awk -v f=$function -v i="$instructions" -v c="$cycles" \
			-v ci="$(counted both.out $function instructions:u)" \
			-v cc="$(counted both.out $function cycles)" 'BEGIN {
			printf "#> user instructions per cycle in %s: %d / %d = %.4f; counted %.4f\n",
			       f, i, c, i / c, ci / cc }' >&3
	done
	# In both modes there is one for each, so as many samples to within one at a boundary.
	for function in computes reads does_both; do
		cycles=$(samples_below ipc.tree $function 0)
		between "instructions in $function" "$(samples_below ipc.tree $function 1)" \
			$((cycles - 2 * ROUNDS)) $((cycles + 2 * ROUNDS))
	done
}

@test "an idle processor counts cycles, but no instructions" {
	local cycles instructions
	cycles=$(samples_below idle.tree swapper 0)
	instructions=$(samples_below idle.tree swapper 1)
	echo "#> idle for 1 s: $cycles samples of cycles, $instructions of instructions" >&3
	between "cycles when idle" "$cycles" 900 1010
	between "instructions when idle" "$instructions" 0 20
}

@test "at a rate: the weights sum up to the count" {
	local count start weight
	count=$(counted rate.out all cycles)
	start=$(($(counted start command cycles) - $(counted start all cycles)))
	weight=$(samples_of rate.data cycles 4)
	echo "#> cycles at 2000 Hz: $count (+ $start), sum of $(samples_of rate.data cycles) weights $weight" >&3
	# The period under way at the end has no sample. Nor has one that the kernel drops when it makes
	# periods more than eight times shorter, as it does when the guest was not run for a while.
	between weight "$weight" $((count * 99 / 100)) $((count + 2 * start))
}

@test "without -e cycles are recorded where they are available" {
	expect_equal event "$(jq -r '.metrics[0].event' default.tree)" cycles
	lacks "no hardware counters" default.err
}

@test "more events than counters take turns, and are scaled to the count" {
	local count event total share
	count=$(counted steady command cycles:u)
	while read -r event total share; do
		echo "#> $event: running $share % of the time, scaled to $total; counted $count" >&3
		between "$event" "$total" $((count * 98 / 100)) $((count * 102 / 100))
		between "part of the time" "$share" 65 75
	done < <(jq -r '.metrics[] | "\(.event) \(.total) \(.time_running * 100 / .time_enabled | floor)"' \
		turns.tree)
	expect_equal events "$(jq '.metrics | length' turns.tree)" 10
	[ "$(grep -c 'running .*% of the time: scaled by' turns.txt)" -eq 10 ]
}

@test "an event that the PMU lacks is refused" {
	cat none.err
	expect_equal status "$(cat none.status)" 1
	grep -q "'cache-misses' needs a hardware counter that this machine does not have" none.err
}

@test "each of two processors has the samples of its program" {
	local cpu count
	local -a programs=(first second)
	cd "$BATS_FILE_TMPDIR/two_cpus"
	expect_equal "samples of both" "$(jq -s 'map(.quality.samples) | add' cpu0.tree cpu1.tree)" \
		"$(jq .quality.samples whole.tree)"
	expect_equal "samples in the file" "$(samples_of whole.data cycles)" \
		"$(jq .quality.samples whole.tree)"
	for cpu in 0 1; do
		count=$(($(counted ${programs[cpu]} all cycles) / 1000003))
		echo "#> processor $cpu: ${programs[cpu]} counted $count periods, $(samples_below cpu$cpu.tree main 0) samples" >&3
		# What overflows more than once before the processor's turn gives one sample: there were
		# from a tenth of the periods on.
		between "samples of main" "$(samples_below cpu$cpu.tree main 0)" 10 $((count * 2))
		[ "$(samples_below cpu$cpu.tree counted 0)" -gt 0 ]
	done
}

@test "without a PMU time is recorded instead, and a note says so" {
	cd "$BATS_FILE_TMPDIR/no_counters"
	lacks armv8_pmuv3 devices
	cat clock.err
	grep -qFx "dendro record: this machine has no hardware counters: cpu-clock (time) is recorded instead of cycles." clock.err
	expect_equal event "$(jq -r '.metrics[0] | .event + " " + .unit' clock.tree)" "cpu-clock ns"
	between samples "$(jq .quality.samples clock.tree)" 400 600
	expect_at_least "below thread_work" "$(samples_below clock.tree thread_work 0)" \
		"$(jq .quality.samples clock.tree)" 90
}

@test "without a PMU cycles are refused if they are requested" {
	cd "$BATS_FILE_TMPDIR/no_counters"
	cat cycles.err
	expect_equal status "$(cat cycles.status)" 1
	grep -q "'cycles' needs a hardware counter that this machine does not have" cycles.err
}
