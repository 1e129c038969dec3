# Several events in one recording: sampled separately, read as a group, shown as ratios, and sampled at
# varying periods.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record several.data -e task-clock,page-faults,context-switches -- "$WORKLOADS/faulter" 3
	"$DENDRO" record -q -e task-clock -F 1000 -o step.data -- "$WORKLOADS/in_step" 0.3
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "every view has a column for each event" {
	local view
	for view in tree callers functions modules processes; do
		report_json several.data --view $view >json
		expect_equal "events of $view" "$(jq -c '[.metrics[].event]' json)" \
			'["task-clock","page-faults","context-switches"]'
		jq -e '[.nodes[]?[2, 3], .rows[]?["self", "total"]]
			| length > 0 and all(length == 3)' json
		"$DENDRO" report --view $view several.data >text
		grep -E '^ *task-clock +page-faults' text
	done
	"$DENDRO" report --format csv several.data | head -1 |
		grep -F '"page-faults self","page-faults total","page-faults samples"'
}

@test "rows are sorted by the requested event" {
	local first
	first=$(report_json several.data --view functions --sort total,page-faults |
		jq -r '[.rows[].total[1]] | . == (sort | reverse)')
	expect_equal "by page-faults" "$first" true
}

@test "a ratio is one event's cost divided by another's, and is empty where that is 0" {
	report_json several.data --view functions --ratio task-clock/page-faults \
		--ratio 'page-faults/task-clock*1000000' >json
	expect_equal names "$(jq -c '[.ratios[].name]' json)" \
		'["task-clock/page-faults","page-faults/task-clock*1000000"]'
	jq -e '.rows | all(
		(if .total[1] == 0 then .ratio_total[0] == null
		 else (.ratio_total[0] - .total[0] / .total[1] | fabs) <= 1e-6 * .ratio_total[0] end) and
		(if .self[0] == 0 then .ratio_self[1] == null
		 else (.ratio_self[1] - .self[1] / .self[0] * 1000000 | fabs) <= 1e-6 * .ratio_self[1] end))' json
	"$DENDRO" report --ratio task-clock/page-faults several.data >text
	grep -E '^ratios +[0-9.]+k? ns of task-clock/page-faults$' text
	"$DENDRO" report --format csv --ratio task-clock/page-faults several.data | head -1 |
		grep -F '"task-clock/page-faults self","task-clock/page-faults total"'
}

@test "a ratio of events that were not recorded is refused with the events there are" {
	run "$DENDRO" report --ratio ipc several.data
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"takes EVENT/EVENT"*"not 'ipc'"* ]]
	[[ $output == *context-switches* ]]
}

@test "the report says what each event counted, sampled or not" {
	report_json several.data >json
	# 4800 pages, and the pages touched by starting up.
	local counted
	counted=$(jq '.metrics[1].counted' json)
	echo "$counted faults counted"
	[ "$counted" -ge 4800 ] && [ "$counted" -le 5200 ]
	# Periods are what passed between samples; what is left over is less than one on each CPU.
	expect_near "ns sampled of those counted" "$(jq '.metrics[0].total' json)" \
		"$(jq '.metrics[0].counted' json)" 10
	expect_equal "software events always have their counter" \
		"$(jq '[.metrics[] | .time_enabled == .time_running, (has("scaled") | not)] | all' json)" true
	"$DENDRO" report several.data | grep -E "samples of page-faults .* events of $counted counted"
}

@test "a path has the growth of all events of a group" {
	record_group group.data -F 3997 -- "$WORKLOADS/faulter" 3
	report_json group.data --view functions >json
	expect_near "faults in dense()" "$(cost_of json dense 1)" 3600 5
	expect_near "faults in sparse()" "$(cost_of json sparse 1)" 1200 10
	[ "$(cost_of json none 1)" -le 100 ]
	local total counted
	total=$(jq '.metrics[1].total' json)
	counted=$(jq '.metrics[1].counted' json)
	echo "$total faults of $counted came before the last sample"
	[ "$total" -le "$counted" ] && [ "$total" -ge $((counted - 300)) ]
}

@test "the events of a group are counted separately in each thread and child" {
	record_group threads.data -F 3997 -- sh -c "'$WORKLOADS/faulter' 2 3; '$WORKLOADS/faulter' 1"
	report_json threads.data --view functions >json
	expect_near "faults in dense()" "$(cost_of json dense 1)" $((7 * 1200)) 5
	expect_near "faults in sparse()" "$(cost_of json sparse 1)" $((7 * 400)) 10
	report_json threads.data >json
	jq -e '[.metrics[].total] as $all | .nodes[0][3] == $all and
		([.nodes[][2]] | transpose | map(add)) == $all' json
	need python3
	expect_equal "an independent count" "$(jq -r '.metrics[] | "\(.samples) \(.total)"' json)" \
		"$(python3 "$ROOT/tests/oracle/walk_records.py" --groups threads.data |
			awk -F '\t' 'NR <= 2 { print $3, $4 }')"
}

# Takes the median of three recordings with separate periods.
@test "code that runs in step with the clock has its true share, because periods vary" {
	local i long short
	for i in 1 2 3; do
		"$DENDRO" record -q -e task-clock -F 1000 -o step.data -- "$WORKLOADS/in_step" 1
		report_json step.data --view functions >json
		long=$(cost_of json long_part 0)
		short=$(cost_of json short_part 0)
		echo $((1000 * short / (long + short)))
	done >shares
	cat shares
	expect_near "share of short_part(), of 1000" "$(sort -n shares | sed -n 2p)" 100 30
}

@test "periods vary around the requested one, and each sample contains its own" {
	local weight
	weight=$(report_json step.data | jq '.metrics[0] | .total / .samples')
	expect_near "mean period" "$weight" 1000000 12
	record fixed.data -e task-clock -F 1000 --no-jitter -- "$WORKLOADS/dispatch" 0.3
	expect_equal "without jitter" "$(report_json fixed.data | jq '.metrics[0] | .total / .samples')" \
		1000000
	record varied.data -e page-faults -F 1000 --jitter -- "$WORKLOADS/faulter" 1
	expect_equal "faults counted" \
		"$(report_json varied.data | jq '.metrics[0].counted >= 1600')" true
}

@test "the header says where samples weigh more than was counted" {
	local mode
	for mode in -F97 -F997 -c1; do
		"$DENDRO" record -q "$mode" -e page-faults -o heavy.data -- "$WORKLOADS/faulter" 3
		"$DENDRO" report --view functions heavy.data >text
		report_json heavy.data >json
		if jq -e '.metrics[0] | .total > .counted * 1.0201' json; then
			[ "$mode" != -c1 ]
			grep -q 'page-faults: samples weigh more than was counted' text
		elif jq -e '.metrics[0] | .total < .counted * 1.0199' json; then
			lacks 'samples weigh more' text
		fi
	done
	expect_equal "weight by -c 1" "$(jq '.metrics[0].total' json)" "$(jq '.metrics[0].counted' json)"
}
