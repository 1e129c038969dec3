# --time: a part of a recording's time, of recordings and of profiles.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_switches
	cd "$BATS_FILE_TMPDIR"
	"$DENDRO" record -q -F 997 -e cpu-clock -e page-faults -e off-cpu -o work.data -- \
		"$WORKLOADS/threads" 0.4
	"$DENDRO" record -q -e cpu-clock -o - -- "$WORKLOADS/figure1" 0.2 >pipe.data
	"$DENDRO" build -o work.cct work.data
	"$DENDRO" script --ns -F tid,cpu,time,event work.data >all.txt
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# Samples of a report, by event: "cpu-clock 100".
counts_of() { # counts_of REPORT.JSON
	jq -r '.metrics[] | select(.samples > 0) | "\(.event) \(.samples)"' "$1" | sort
}

# The samples that dendro script lists from one microsecond to before another, since the first one;
# those without a time are waits that began before the recording.
expected_counts() { # expected_counts FROM TO [TID]
	awk -v from="$1" -v to="$2" -v tid="${3-}" -v start="$(jq .times.start_ns all.json)" '
		function ns(text, part) { split(text, part, /[.:]/); return part[1] * 1000000000 + part[2] }
		{
			us = 0
			for (i = 1; i <= NF; i++)
				if ($i ~ /^[0-9]+\.[0-9]+:$/)
					us = int((ns($i) - start) / 1000)
			event = $NF
			sub(/:$/, "", event)
			if (us >= from && us < to && (tid == "" || $1 == tid))
				n[event]++
		}
		END { for (event in n) print event, n[event] }' all.txt | sort
}

@test "samples of a range are those that the list of all has then" {
	report_json work.data >all.json
	local us half
	us=$(($(jq .times.duration_ns all.json) / 1000))
	half=$((us / 2))
	report_json work.data --time "${half}us-" >got.json
	cmp <(counts_of got.json) <(expected_counts $half $((us + 1)))
	report_json work.data --time "-${half}us" >got.json
	cmp <(counts_of got.json) <(expected_counts 0 $half)
	report_json work.data --time "end-0.1-" >got.json
	expect_equal "to" "$(jq '.times | .to_ns == .duration_ns' got.json)" true
	cmp <(counts_of got.json) <(expected_counts $(($(jq .times.from_ns got.json) / 1000)) $((us + 1)))
	report_json work.data --time 20%-70% >got.json
	cmp <(counts_of got.json) <(expected_counts $(($(jq .times.from_ns got.json) / 1000)) \
		$(($(jq .times.to_ns got.json) / 1000)))
}

@test "parts that follow one another have each sample once" {
	local i part
	for part in 0%-10% 10%-50% 50%-51% 51%-100%; do
		report_json work.data --view functions --time $part | jq -c '.metrics'
	done | jq -s '[transpose[] | {event: .[0].event, samples: ([.[].samples] | add),
		total: ([.[].total] | add)}]' >parts
	report_json work.data --view functions |
		jq '[.metrics[] | {event, samples, total}]' >whole
	for i in 1 2 3 4; do
		"$DENDRO" script -F tid,time,event --time 25%/$i work.data
	done | sort >parts.txt
	"$DENDRO" script -F tid,time,event work.data | sort | cmp - parts.txt
	cmp parts whole
}

# expect_equal_reports OPTION...: of the recording and its profile
expect_equal_reports() {
	"$DENDRO" report "$@" work.data >theirs 2>theirs.err
	"$DENDRO" report "$@" work.cct 2>ours.err | sed 's|work\.cct|work.data|' >ours
	cmp theirs ours
	cmp theirs.err ours.err
}

@test "a range of a profile gives the report of its recording" {
	local range tid clock
	tid=$(report_json work.data --view processes --by thread |
		jq '[.rows[] | select(.kind == "thread") | .id][1]')
	clock=$(report_json work.data | jq '.times.start_ns + .times.duration_ns / 2 | . / 1e9')
	for range in 0.1-0.3 -200ms 50%- 10%/3 end-30%-end-50ms "$clock," 99-; do
		expect_equal_reports --format json --time "$range"
		expect_equal_reports --format csv --view lines --time "$range"
		expect_equal_reports --time "$range" --view threads
		expect_equal_reports --format json --by thread --time "$range" --tid "$tid" --cpu 0
		expect_equal_reports --format json --time "$range" --event off-cpu --comm 'thr*'
	done
}

@test "annotate, export, diff, script and build choose a range, too" {
	"$DENDRO" annotate --format json --event cpu-clock --time -90% thread_work work.data >part.json
	report_json work.data --event cpu-clock --time -90% >theirs
	expect_equal samples "$(jq '.metrics[0].samples' part.json)" "$(jq '.metrics[0].samples' theirs)"
	"$DENDRO" export --format folded --time 30%-60% work.data >theirs
	"$DENDRO" export --format folded --time 30%-60% work.cct >ours
	cmp theirs ours
	"$DENDRO" diff --format json --time 30%-60% work.data -- work.cct >same.json
	jq -e '[.. | .difference? // empty | numbers | select(. != 0)] == []' same.json
	"$DENDRO" build --time 30%-60% -o part.cct work.data
	report_json work.data --time 30%-60% >theirs
	report_json part.cct >ours
	cmp theirs ours
	report_json work.data --time 40%-60% | jq .metrics >theirs
	report_json part.cct --time 40%-90% | jq .metrics >ours
	cmp theirs ours
	# shellcheck disable=SC2002
	cat pipe.data | "$DENDRO" report --format json --time 30%-60% - >ours
	report_json pipe.data --time 30%-60% >theirs
	cmp theirs ours
}

@test "perf's times of its clock are understood" {
	need perf
	local from to
	from=$(awk '/cpu-clock/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) {
		sub(/:/, "", $i); print $i } }' all.txt | sort -n | sed -n 20p)
	to=$(awk '/cpu-clock/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) {
		sub(/:/, "", $i); print $i } }' all.txt | sort -n | sed -n 90p)
	perf script -i work.data --ns -F tid,time,event --time "$from,$to" 2>perf.err |
		grep cpu-clock >theirs
	"$DENDRO" script --ns -F tid,time,event --time "$from,$to" work.data | grep cpu-clock >ours
	[ "$(wc -l <theirs)" -ge 71 ]
	# Both bounds have samples; within the microsecond before and after, dendro may have more.
	lacks -vxFf ours theirs
	expect_equal "last sample" "$(tail -1 theirs | awk '{ print $2 }')" "$to:"
}

@test "wrong ranges are refused in a sentence, and empty ones explained" {
	local range
	for range in 3 end-2s 1-x '1,2 3,4' 120%-; do
		refuses "--time takes one range of the recording's time, such as 1.5-3, -200ms, 10%-20% or end-2s-, not '$range'." \
			-- "$DENDRO" report --time "$range" work.data
	done
	refuses "--time takes a range that begins before it ends, not '3-1'." -- \
		"$DENDRO" script --time 3-1 work.data
	local command
	for command in report script; do
		"$DENDRO" $command --time 1h- work.data 2>note >/dev/null
		grep -q "dendro $command: no sample passes --time: the recording takes [0-9.]* s\.$" note
	done
	local first
	first=$("$DENDRO" script -F time work.data | sed -n '1s/[ :]//gp')
	"$DENDRO" report --time 0,0.001 work.data 2>note >/dev/null
	grep -Eq "by its clock, the recording is from $first s to [0-9]+\.[0-9]{6} s\.$" note
	refuses "which takes a file" -- "$DENDRO" script --time 1- -i - <work.data
}

@test "the header has the range" {
	"$DENDRO" report --time 0.1-200ms work.data | grep -qx 'time  *from 0\.100000 s to 0\.200000 s'
	"$DENDRO" report work.data | lacks '^time '
	expect_equal times "$(report_json work.data --time 0.1-200ms | jq -c '.times | [.from_ns, .to_ns]')" \
		"[100000000,200000000]"
	expect_equal times "$(report_json work.data | jq '.times | has("from_ns")')" false
}

@test "a range of a merged profile is one of each of its runs" {
	"$DENDRO" record -q -F 997 -e cpu-clock -e page-faults -e off-cpu -o other.data -- \
		"$WORKLOADS/threads" 0.2
	"$DENDRO" build -o other.cct other.data
	"$DENDRO" merge -o both.cct work.cct other.cct
	local range
	for range in 30%-60% end-50ms- 0.1-0.2; do
		"$DENDRO" report --format json --time "$range" both.cct | jq 'del(.times)' >ours
		"$DENDRO" report --format json --time "$range" work.data other.data |
			jq 'del(.times)' >theirs
		cmp theirs ours
	done
}

@test "the header says that the parts of runs of unequal length differ" {
	"$DENDRO" record -q -e cpu-clock -o longer.data -- "$WORKLOADS/figure1" 0.4
	"$DENDRO" merge work.cct longer.data -o unequal.cct
	local files
	for files in unequal.cct "work.data longer.data"; do
		# shellcheck disable=SC2086
		"$DENDRO" report --view functions --time 25%-50% $files >text
		grep -q '^time  *a part of each run, not the same one (--time)$' text
		# shellcheck disable=SC2086
		"$DENDRO" report --view functions --time 0-0.1 $files >text
		grep -q '^time  *from 0.000000 s to 0.100000 s$' text
		# shellcheck disable=SC2086
		"$DENDRO" report --view functions $files >text
		lacks '^time ' text
	done
}

@test "a profile in slices has the same sums, and a range of whole slices" {
	refuses "--slices takes a number from 1 on, not '0'." -- "$DENDRO" build --slices 0 -o x.cct work.data
	"$DENDRO" build --slices 40 -o sliced.cct work.data 2>note
	grep -q 'the profile has sums of samples in slices of [0-9.]* s' note
	local options from to
	for options in '--view functions' '--cpu 0' '--comm thr* --by thread' '--event off-cpu' \
		'--errors --view functions'; do
		set -f
		# shellcheck disable=SC2086
		report_json work.data $options >theirs
		# shellcheck disable=SC2086
		report_json sliced.cct $options >ours
		set +f
		cmp theirs ours
	done
	report_json sliced.cct --time 33%-66% >ours
	from=$(jq .times.from_ns ours) to=$(jq .times.to_ns ours)
	jq -e '.times | .from_ns <= .duration_ns * 0.33 and .to_ns >= .duration_ns * 0.659' ours
	report_json work.data --time "${from}ns-${to}ns" >theirs
	cmp theirs ours
	report_json sliced.cct --time "-${from}ns" >before
	report_json sliced.cct --time "${to}ns-" >after
	jq -s '[.[].metrics[0].samples] | add' before ours after >sum
	expect_equal "samples of all parts" "$(<sum)" "$(report_json work.data | jq '.metrics[0].samples')"
}
