# The last part of a recording. The program has the recorder write what it keeps between its
# functions, so it is known which functions each file has to have.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	mkdir whole last
	(
		cd whole
		"$DENDRO" record -e cpu-clock -F 997 --no-jitter --overwrite --last 1h \
			--control fifo:control,answers -o part.data -- sh -c \
			'"$0"/controlled control answers snapshot dump snapshot ping && true' \
			"$WORKLOADS" >answers.txt 2>summary.txt
	)
	(
		cd last
		# All that controlled does is too old when dispatch ends.
		"$DENDRO" record -e cpu-clock -e off-cpu -F 997 --overwrite --last 1s \
			--control fifo:control,answers -o part.data -- sh -c \
			'"$0"/controlled control answers ping ping ping snapshot && sleep 2 &&
				"$0"/dispatch 0.5' "$WORKLOADS" 2>summary.txt
	)
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

functions_in() { # functions_in FILE [OPTION...]
	report_json "$@" --view functions --kernel none | jq -r '[.rows[] | select(.module == "controlled")
		| .name | select(. == ("before", "alpha", "beta", "third", "after"))] | sort | join(" ")'
}

@test "what is written while recording has all until then, and the end has all" {
	local part
	local -a found=()
	for part in whole/part.data.* whole/part.data; do
		found+=("$(functions_in "$part"),")
	done
	expect_equal functions "${found[*]}" \
		"before, alpha before, alpha before beta, after alpha before beta third,"
	expect_equal answers "$(uniq -c <whole/answers.txt | tr -d ' ')" 4ack
}

@test "while nothing was dropped, the file has all samples and counts" {
	report_json whole/part.data >whole.json
	expect_equal samples "$(grep -Eo '[0-9 ]+ samples' whole/summary.txt | tr -dc 0-9)" \
		"$(jq '.metrics[0].samples' whole.json)"
	"$DENDRO" report whole/part.data >report.txt
	run grep 'the last part' report.txt
	expect_equal status "$status" 1
	run grep -E 'no known mapping|no record introduced|too late' report.txt
	expect_equal status "$status" 1
}

@test "what is too old is not in the file, and the report says so" {
	expect_equal functions "$(functions_in last/part.data)" ""
	report_json last/part.data --view functions | jq -e '.rows | map(.module) | index("dispatch")'
	"$DENDRO" report last/part.data | grep -Eq \
		'the last part of the run, from 20[0-9-]{8} [0-9:]{8} UTC on; older samples were not kept'
	grep -Eq '; the last part, [0-9 ]+ samples, was kept \]$' last/summary.txt
	"$DENDRO" build -o last.cct last/part.data
	"$DENDRO" report last.cct | grep -q 'the last part of the run, from '
}

@test "paths of the last part have their mappings and names" {
	report_json last/part.data >last.json
	jq -e '[.. | .name? // empty | select(test("no known mapping|no record introduced"))] == []' \
		last.json
	ask last.json '[nodes | select(.name == "worker")] | length > 0' >worker
	expect_equal worker "$(<worker)" true
}

@test "perf reads what was written" {
	need perf
	perf script -i last/part.data 2>/dev/null | grep -q dispatch
}

@test "SIGUSR2 writes the last part of processes that run already" {
	"$WORKLOADS/dispatch" 600 &
	local pid=$!
	"$DENDRO" record -q -e cpu-clock -F 997 --overwrite -o signal.data -p $pid &
	local recorder=$!
	wait_until catches_sigusr2 $recorder
	kill -USR2 $recorder
	wait_until written 1
	kill -USR2 $recorder
	wait_until written 2
	kill -INT $recorder
	wait $recorder || true
	kill $pid
	wait $pid || true
	local part
	for part in signal.data signal.data.*; do
		"$DENDRO" report "$part" >report.txt
	done
}

# It is blocked, to be read from a descriptor, and the events are open.
catches_sigusr2() {
	local blocked
	blocked=$(awk '/^SigBlk:/ { print $2 }' "/proc/$1/status")
	[ $((0x$blocked >> 11 & 1)) -eq 1 ]
}

written() {
	[ "$(find . -maxdepth 1 -name 'signal.data.*' | wc -l)" -eq "$1" ]
}

# off-cpu is a tracepoint; its samples and its times are conditions of two recordings.
@test "conditions write the last part, and the recorder says how often each was true" {
	need_root
	"$DENDRO" record -e cpu-clock -e off-cpu --overwrite --when 'off-cpu > 500ms' \
		--when 'off-cpu > 1h' -o waits.data -- sh -c 'sleep 0.6; sleep 0.01' 2>waits.txt
	expect_equal written "$(find . -name 'waits.data.*' | wc -l)" 1
	grep -Eq "^dendro record: --when 'off-cpu > 500ms': true [0-9]+ times?; for it, the last part was written 1 time\.$" \
		waits.txt
	grep -Eq "^dendro record: --when 'off-cpu > 1h': was never true\.$" waits.txt
	report_json waits.data.* | jq -e '.metrics[] | select(.event == "off-cpu")
		| .total >= 500000000'

	"$DENDRO" record -e cpu-clock -e page-faults@1 --stack-size 4K -m 16M --overwrite \
		--last 1h --when page-faults -o faults.data -- "$WORKLOADS/faulter" 1 2>faults.txt
	expect_equal written "$(find . -name 'faults.data.*' | wc -l)" 1
	local n
	n=$(report_json faults.data | jq '.metrics[] | select(.event == "page-faults") | .samples')
	expect_equal counted "$(report_json faults.data |
		jq '.metrics[] | select(.event == "page-faults") | .counted')" "$n"
	grep -q "^dendro record: --when 'page-faults': true $n times; for it, the last part was written 1 time\.$" \
		faults.txt
}

@test "a level of the machine writes the last part" {
	"$DENDRO" record -e cpu-clock --overwrite --when 'loadavg > 0' -o load.data \
		-- sh -c 'while ! ls load.data.* >/dev/null 2>&1; do sleep 0.1; done' 2>load.txt
	grep -q "'loadavg > 0': true 1 time; for it, the last part was written 1 time" load.txt
	"$DENDRO" report load.data.* >report.txt
}

@test "wrong conditions are errors that say what is right" {
	local condition
	for condition in loadavg 'loadavg > x' 'cpu-pressure > 101' 'off-cpu > 1s' cycles 'cpu-clock > 1'; do
		run "$DENDRO" record -e cpu-clock --overwrite --when "$condition" -- true
		expect_equal "status of $condition" "$status" 129
		[[ $output == "dendro record: --when '$condition': "* ]]
	done
	run "$DENDRO" record --when 'loadavg > 1' -- true
	expect_equal status "$status" 129
	[[ $output == *"add --overwrite"* ]]
}

@test "wrong uses are errors" {
	local options
	for options in "--last 5s" "--overwrite --last 1ms" "--overwrite --max-size 1M" \
		"--overwrite -o -" "--overwrite -o a.cct" "--overwrite --switch-output"; do
		# shellcheck disable=SC2086
		run "$DENDRO" record $options -- true
		expect_equal "status of $options" "$status" 129
	done
	run "$DENDRO" record -e cpu-clock --overwrite -o nowhere/file -- true
	expect_equal status "$status" 1
	[[ $output == *"cannot write into 'nowhere'"* ]]
}
