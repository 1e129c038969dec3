# dendro report --view stats: the size and shape of the tree of call paths.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record recursion.data -- "$WORKLOADS/recursion" 0.5
	report_json recursion.data >recursion.tree
	report_json recursion.data --view stats >recursion.stats
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "the tree's statistics are those of the tree that JSON has" {
	expect_equal nodes "$(jq '.trees[0].nodes' recursion.stats)" \
		"$(jq '.nodes | length' recursion.tree)"
	expect_equal interior "$(jq '.trees[0].interior_nodes' recursion.stats)" \
		"$(jq '[.nodes[1:][][0]] | unique | length' recursion.tree)"
	expect_equal "replication and height" \
		"$(jq -r '.trees[0] | "\(.replication) \(.height)"' recursion.stats)" \
		"$(jq -r '.frames as $frames | .nodes as $nodes
			| ([$nodes[1:][][1]] | group_by(.) | map({ n: length, frame: $frames[.[0]] })
				| map(select(.frame.kind != "process")) | max_by(.n)) as $most
			| (reduce $nodes[1:][] as $node ([0]; . + [.[$node[0]] + 1]) | max) as $height
			| "\($most.n) \($height)"' recursion.tree)"
}

@test "a stored profile has the statistics of its recording, in all formats" {
	"$DENDRO" build -o recursion.cct recursion.data
	report_json recursion.cct --view stats | cmp - recursion.stats
	"$DENDRO" report --view stats --format csv recursion.data | tr -d '\r' >csv
	expect_equal lines "$(wc -l <csv)" 3
	expect_equal nodes "$(awk -F, '$1 == "call sites" { print $2, $3 }' csv)" \
		"$(jq -r '.trees[1] | "\(.size) \(.nodes)"' recursion.stats)"
	"$DENDRO" report --view stats recursion.cct >text
	grep -E '^calling context tree +by function +by call site$' text
	grep -E '^maximum height +[0-9]+ +[0-9]+$' text
}
