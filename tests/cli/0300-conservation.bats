# The sum over the tree equals the samples in the file, counted by a walker that shares no code with
# dendro.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need python3
	cd "$BATS_FILE_TMPDIR"
	record reader.data -- "$WORKLOADS/reader" 1
	record forkexec.data -z 0 -- "$WORKLOADS/forkexec" 1
	record events.data -e task-clock,page-faults,context-switches -- sh -c \
		"'$WORKLOADS/threads' 0.5; '$WORKLOADS/cxx' 0.5; ls /"
	record mixed.data -e page-faults@3,cpu-clock,context-switches@1 -- "$WORKLOADS/forkexec" 1
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

conserved() { # conserved FILE
	local file=$1 walked sum
	report_json "$file" >tree
	walked=$(walked_samples "$file")
	expect_equal "samples of $file" "$(jq '.quality.samples' tree)" "$walked"
	expect_equal "samples over all events" "$(jq '[.metrics[].samples] | add' tree)" "$walked"
	jq -e '[.metrics[].total] as $all | .nodes[0][3] == $all and
		([.nodes[][2]] | transpose | map(add)) == $all' tree
	expect_equal "weight of $file" "$(jq '[.metrics[].total] | add' tree)" "$(walked_weight "$file")"
}

@test "one event: tree, metrics and file hold the same cost" {
	conserved reader.data
}

@test "forks and execs: tree, metrics and file hold the same cost" {
	conserved forkexec.data
}

@test "several events: tree, metrics and file hold the same cost" {
	conserved events.data
}

@test "events with and without periods in samples: tree, metrics and file hold the same cost" {
	conserved mixed.data
	[ "$(jq '.metrics[0].samples' tree)" -gt 10 ]
	expect_equal "page faults" "$(jq '.metrics[0].total' tree)" \
		"$(jq '3 * .metrics[0].samples' tree)"
}

@test "the rows of the flat views add up to the metrics" {
	local view
	for view in functions lines modules processes; do
		report_json mixed.data --view $view >rows
		jq -e '[.metrics[].total] as $all | [.rows[].self] | transpose | map(add) == $all' rows ||
			{ echo "view $view"; return 1; }
	done
}

@test "views of a part add up to the whole" {
	local all
	all=$(report_json reader.data --view functions | jq '.metrics[0].samples')
	expect_equal "kernel only and none" \
		"$(report_json reader.data --kernel none | jq '.nodes[0][3][0]')" \
		"$(report_json reader.data --kernel only | jq '.nodes[0][3][0]')"
	expect_equal "dendro script" "$("$DENDRO" script reader.data | grep -c $'^[^\t]')" "$all"
}

@test "the whole machine at a high rate: tree, metrics and file hold the same cost" {
	need_root
	"$DENDRO" record -a -F 5000 -e cpu-clock -o fast.data -- sh -c \
		"'$WORKLOADS/forkexec' 0.5; '$WORKLOADS/threads' 0.5" 2>messages
	conserved fast.data
	local received
	received=$(sed -n 's/^\[ dendro: .* s, \([0-9 ]*\) samples, .*/\1/p' messages | tr -d ' ')
	expect_equal "samples the recorder counted" "$(jq .quality.samples tree)" "$received"
	[ "$received" -gt 500 ]
}
