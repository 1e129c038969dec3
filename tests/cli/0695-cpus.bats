# The view of CPUs: each with the cost of the samples that were taken on it.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

# Several metrics; two programs on any CPUs.
make_recordings() {
	need_switches
	cd "$BATS_FILE_TMPDIR"
	# shellcheck disable=SC2016
	"$DENDRO" record -q -F 997 -e cpu-clock -e page-faults -e off-cpu -o two.data -- \
		sh -c '"$0" 0.5 & "$1" 0.5; wait' "$WORKLOADS/threads" "$WORKLOADS/cxx"
	"$DENDRO" build -o two.cct two.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# times_of_cpus [OPTION...]: the number and cost of each CPU, by the view
times_of_cpus() {
	report_json two.data --view cpus "$@" |
		jq -r '.rows[] | select(.total[0] > 0) | "\(.id) \(.total[0])"' | sort -n
}

# The same by the samples, of cpu-clock.
times_in_script() {
	awk '$6 == "cpu-clock:" { ns[substr($3, 2, length($3) - 2) + 0] += $5 }
		END { for (cpu in ns) print cpu, ns[cpu] }' "$@" | sort -n
}

@test "each CPU has a row with the time of its samples" {
	"$DENDRO" script two.data >samples
	times_in_script samples >theirs
	[ -s theirs ]
	times_of_cpus | diff theirs -
	"$DENDRO" script --comm cxx two.data >samples
	times_in_script samples >theirs
	[ -s theirs ]
	times_of_cpus --comm cxx | diff theirs -
}

@test "rows of CPUs add up, with a selection and without" {
	report_json two.data --view cpus |
		jq -e '.metrics as $m | [.rows[].total] | transpose | map(add) == [$m[].total]'
	report_json two.data --view cpus --focus '^(outer|main)' |
		jq -e '(.rows | map(.total[0]) | add) == .selection.total[0] and .selection.total[0] > 0'
	report_json two.data --view cpus --cpu 0 | jq -e '[.rows[].id] - [0] == []'
}

@test "the cost of a CPU is that of a report of its samples alone" {
	local cpu time
	while read -r cpu time; do
		expect_equal "CPU $cpu" "$(report_json two.data --view functions --cpu "$cpu" |
			jq '.metrics[0].total')" "$time"
	done < <(times_of_cpus)
}

@test "a stored profile has the CPUs of its recording" {
	local format options
	for options in '' '--comm cxx' '--focus main' '--cpu 0' '--kernel only' '--sort name' \
		'--event off-cpu' '--ratio page-faults/cpu-clock'; do
		for format in json csv; do
			# shellcheck disable=SC2086
			"$DENDRO" report --view cpus -f $format $options two.data >theirs
			# shellcheck disable=SC2086
			"$DENDRO" report --view cpus -f $format $options two.cct >ours
			cmp theirs ours
		done
	done
}

@test "CPUs of several files are added up by their numbers" {
	report_json two.data --view cpus | jq '[.rows[] | [.id, (.total[] * 2)]] | sort' >theirs
	"$DENDRO" report --view cpus -f json two.cct two.data |
		jq '[.rows[] | [.id, .total[]]] | sort' >ours
	cmp theirs ours
}

@test "text and CSV name CPUs by their numbers" {
	"$DENDRO" report --view cpus two.data | grep -Eq ' CPU [0-9]+$'
	"$DENDRO" report --view cpus -f csv two.data | grep -Eq '^1,"CPU","",cpu,[0-9]+,'
	"$DENDRO" report --view cpus --sort name two.data | sed -n 's/.* CPU \([0-9]\)/\1/p' | sort -nc
}

@test "as in perf, CPUs are a column of --sort" {
	"$DENDRO" report -f csv --sort cpu two.data >theirs
	"$DENDRO" report -f csv --view cpus two.data | cmp - theirs
	"$DENDRO" report -f csv --sort cpu,sym two.data >theirs
	"$DENDRO" report -f csv --view functions --each cpu two.data | cmp - theirs
	run "$DENDRO" report --sort cpu,cgroup two.data
	[ "$status" -eq 129 ]
	[[ $output == *"--sort cpu,cgroup is not supported"* ]]
}
