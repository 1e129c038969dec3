# Recordings of other machines, kernels and tools.

load lib

setup() {
	need_recordings
	cd "$BATS_TEST_TMPDIR"
}

# The counts of the events that have samples, sorted. Names are not compared, because perf makes up
# names where a file has none.
counts_of_dendro() {
	report_json "$1" --view functions 2>errors |
		jq -r '.metrics[] | select(.samples > 0) | .samples' | sort -n
}

counts_of_perf() {
	perf script -i "$1" -F event -G 2>/dev/null | grep . | sort | uniq -c |
		awk '{ print $1 }' | sort -n
}

perf_reads() {
	perf script -i "$1" -F event -G >/dev/null 2>perf-errors &&
		! grep -q 'failed to process type\|bad event header' perf-errors
}

@test "every recording that perf reads has perf script's samples per event" {
	need perf
	local file read=0
	for file in "$SHARED"/recordings/*.data; do
		perf_reads "$file" || continue
		read=$((read + 1))
		diff <(counts_of_perf "$file") <(counts_of_dendro "$file") ||
			{ echo "^ $file"; return 1; }
	done
	echo "$read recordings"
	[ "$read" -ge 12 ]
}

@test "samples without a callchain are listed as by perf script" {
	need perf
	local name
	for name in branch-4.14 callgraph-3.8 i686-3.4 remmap-3.2; do
		perf script -i "$SHARED/recordings/quipper.$name.data" --no-inline 2>/dev/null |
			grep $'^[^\t]' >theirs
		diff theirs <("$DENDRO" script "$SHARED/recordings/quipper.$name.data" | grep $'^[^\t]') ||
			{ echo "^ $name"; return 1; }
	done
}

@test "branches of another machine are printed as by perf script" {
	need perf
	local file=$SHARED/recordings/quipper.branch-4.14.data
	perf script -i "$file" -F +brstack 2>/dev/null >theirs
	grep -q '/P/-/-/' theirs
	diff theirs <("$DENDRO" script -F +brstack "$file")
}

@test "every recording has the samples that an independent record walker counts" {
	need python3
	local file ours theirs
	for file in "$SHARED"/recordings/*.data; do
		theirs=$(walked_samples "$file" --groups)
		ours=$(report_json "$file" --view functions 2>errors | jq '[.metrics[].samples] | add')
		expect_equal "samples of $file" "$ours" "$theirs"
	done
}

@test "recordings that perf refuses are read, too" {
	local file
	for file in lpd.fibo.compressed2.pipe lpd.sleep.compressed simpleperf.lbr simpleperf.trace-offcpu; do
		[ "$(counts_of_dendro "$SHARED/recordings/$file.data" | wc -l)" -ge 1 ]
		"$DENDRO" report "$SHARED/recordings/$file.data" >text
		grep -q . text
	done
}

@test "a corrupt recording gives an error with the offset" {
	run "$DENDRO" report "$SHARED/recordings/quipper.piped.corrupted.zero_size_sample-3.2.data"
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" =~ offset.*(49104|0xbfd0) ]]
}

@test "pipes are read from standard input" {
	local file=$SHARED/recordings/quipper.piped.lost_samples-4.4.data
	expect_equal samples "$(report_json - --view functions <"$file" | jq '.quality.samples')" \
		"$(report_json "$file" --view functions | jq '.quality.samples')"
}

@test "dendro script lists as many samples as the report counts" {
	local file n
	for file in "$SHARED"/recordings/*.data; do
		n=$("$DENDRO" script "$file" 2>errors | grep -c $'^[^\t]' || true)
		expect_equal "samples of $file" "$n" \
			"$(report_json "$file" --view functions 2>errors | jq '[.metrics[].samples] | add')"
	done
}

# The addresses of the frames in a listing, without zeros.
frame_addresses() {
	awk '/^[ \t]+[0-9a-f]+/ && $1 !~ /^0+$/ { print $1 }'
}

@test "addresses of callchains are those of perf script, without the zeros at their ends" {
	need perf
	local file=$SHARED/recordings/quipper.callgraph-3.8.data
	perf script -i "$file" -F comm,tid,ip 2>/dev/null | frame_addresses >perf.addresses
	"$DENDRO" script "$file" | frame_addresses >addresses
	[ "$(wc -l <addresses)" -gt 10000 ]
	cmp perf.addresses addresses
	report_json "$file" --view functions >functions
	expect_equal "functions at the end of memory" \
		"$(jq '[.rows[] | select(.name == "0xffffffffffffffff")] | length' functions)" 0
}

@test "recordings without callers have no row for missing ones, and branch records are announced" {
	local file=$SHARED/recordings/quipper.branch-4.14.data
	report_json "$file" >tree
	expect_equal flat "$(jq '.quality.unwind.flat' tree)" "$(jq '.quality.samples' tree)"
	expect_equal marks "$(ask tree '[nodes | select(.kinds[-1] == "marker")] | length')" 0
	"$DENDRO" report "$file" | grep -q '13 samples have branch records (LBR), which are not shown'
	"$DENDRO" report "$file" | lacks 'complete'
	"$DENDRO" script "$file" | lacks 'kernel.dynamic'
}

@test "lost samples are shown as lost" {
	[ "$(report_json "$SHARED/recordings/quipper.piped.lost_samples-4.4.data" --view functions |
		jq '.quality.lost')" -gt 0 ]
	[ "$(report_json "$SHARED/recordings/quipper.throttle-3.8.data" --view functions |
		jq '.quality.throttled')" -gt 0 ]
}

@test "kernel code of another machine's recording never has names of this kernel" {
	local file named
	for file in quipper.lost_samples-4.4 quipper.remmap-3.2 quipper.callgraph-3.8; do
		file=$SHARED/recordings/$file.data
		report_json "$file" --view functions >functions
		named=$(jq '[.rows[] | select(.kind == "kernel" and (.name | startswith("0x") | not))] |
			length' functions)
		expect_equal "named kernel functions of $file" "$named" 0
	done
	"$DENDRO" report "$SHARED/recordings/quipper.lost_samples-4.4.data" |
		grep -q "recorded on another kernel (Linux 4.14.18 on localhost)"
}

# The functions that simpleperf's tables name, by name in the report: NAME MODULE.
names_of() {
	report_json "$SHARED/recordings/$1.data" --view functions | jq -r '.rows[] | "\(.name) \(.module)"'
}

@test "symbols in recordings of simpleperf name code whose file is not here" {
	expect_equal "program, as messages" "$(names_of simpleperf.lbr)" "main lbr_test_loop"
	names_of simpleperf.read-group | grep -qx '_dl_catch_exception ld-2.32.so'
	names_of simpleperf.trace-offcpu | grep -qx 'RunFunction() simpleperf_runtest_run_and_sleep64'
	names_of simpleperf.trace-offcpu | grep -qx '__libc_init libc.so'
	names_of simpleperf.arm64-stacks | grep -qx '_raw_spin_lock \[kernel\]'
	"$DENDRO" report "$SHARED/recordings/simpleperf.lbr.data" | lacks 'file is missing'
}

@test "switches of simpleperf weigh the time up to their thread's next sample, as in its own report" {
	need python3
	local file=$SHARED/recordings/simpleperf.trace-offcpu.data
	report_json "$file" --view functions >functions
	expect_equal "time and switches without an end" \
		"$(jq -r '(.metrics[] | select(.event == "sched:sched_switch" and .unit == "ns") | .total),
			.quality.off_cpu.unpaired' functions | paste -sd ' ')" \
		"$(python3 "$ROOT/tests/oracle/simpleperf_off_cpu.py" "$file")"
	expect_equal "other events" "$(jq -r '.metrics[0].total' functions)" 892880099
}

@test "AUX data are announced, and the samples beside them are read" {
	local file=$SHARED/recordings/quipper.piped.lost_samples-4.4.data kind
	need python3
	for kind in 1:intel_pt 4:arm_spe; do
		# AUXTRACE_INFO, AUXTRACE and 24 bytes of data that would be no record.
		python3 - "$file" "${kind%:*}" >aux.data <<-'END'
			import struct, sys
			data = open(sys.argv[1], "rb").read()
			info = struct.pack("<IHHII", 70, 0, 16, int(sys.argv[2]), 0)
			aux = struct.pack("<IHH5QII", 71, 0, 56, 24, 0, 0, 0, 0, 0, 0) + b"\xff" * 24
			sys.stdout.buffer.write(data + info + aux + aux)
		END
		"$DENDRO" report aux.data >text
		grep -q "AUX data of ${kind#*:}: not decoded" text
		expect_equal samples "$(report_json aux.data --view functions | jq -c '.quality.samples')" \
			"$(report_json "$file" --view functions | jq -c '.quality.samples')"
	done
}

@test "branch records of a call stack are the callers" {
	need python3
	# The branches of this recording as if the processor had kept them as its call stack:
	# PERF_SAMPLE_BRANCH_USER and _CALL_STACK.
	python3 - "$SHARED/recordings/simpleperf.lbr.data" >stack.data <<-'END'
		import struct, sys
		data = bytearray(open(sys.argv[1], "rb").read())
		attrs = struct.unpack_from("<Q", data, 24)[0]
		struct.pack_into("<Q", data, attrs + 72, 1 | 1 << 11)
		sys.stdout.buffer.write(data)
	END
	report_json stack.data >tree
	expect_equal "samples with branches" "$(jq .quality.unwind.branch_stack tree)" 13
	# A branch record for each caller: 32 at most.
	expect_equal depth "$(ask tree '[nodes | .kinds | map(select(. == "user")) | length] | max')" 33
	"$DENDRO" report stack.data >text
	grep -q "13 .* from the processor's call stack (LBR), not verified" text
	lacks "which are not shown" text
}
