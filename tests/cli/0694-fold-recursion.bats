# dendro report --fold-recursion: trees in which no function is below itself.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record recursion.data -- "$WORKLOADS/recursion" 0.5
	report_json recursion.data --fold-recursion >folded
	report_json recursion.data >whole
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "no path of the folded tree has a function twice, and no node costs more than the whole" {
	expect_equal "functions that are below themselves" "$(ask folded '[named_nodes as $nodes
		| range(1; $nodes | length) as $i | $nodes[$i]
		| select(.kind == "user" or .kind == "kernel") | . as $node
		| [$nodes[$i].parent | recurse($nodes[.].parent; . > 0)] | map($nodes[.])
		| select(any(.[]; .name == $node.name and .module == $node.module and .kind == $node.kind))]
		| length')" 0
	expect_equal "nodes above the whole" \
		"$(ask folded '.metrics[0].total as $all | [.nodes[] | select(.[3][0] > $all)] | length')" 0
}

@test "each function's own cost is the same in the folded tree" {
	local own='[named_nodes[] | select(.self[0] > 0)] | group_by([.name, .module, .kind])
		| map("\(.[0].kind) \(.[0].name) \(.[0].module) \(map(.self[0]) | add)") | .[]'
	ask folded "$own" >own.folded
	ask whole "$own" >own.whole
	[ -s own.whole ]
	cmp own.folded own.whole
}

@test "50 levels of direct recursion are one node, those of mutual recursion two" {
	expect_equal "nodes of recurse" "$(ask folded '[named_nodes[] | select(.name == "recurse")] | length')" 1
	expect_equal "callers of odd" "$(ask folded 'parents_of("odd") | join(" ")')" even
	expect_equal "callers of even" "$(ask folded 'parents_of("even") | join(" ")')" main
	expect_equal "callers of recurse" "$(ask folded 'parents_of("recurse") | join(" ")')" main
}

@test "tables, the call graph and paths do not change" {
	local view
	for view in functions lines modules processes threads callgraph syscalls "paths --root odd"; do
		# shellcheck disable=SC2086
		report_json recursion.data --view $view >plain
		# shellcheck disable=SC2086
		report_json recursion.data --view $view --fold-recursion | cmp - plain
	done
}

@test "a stored profile has the same folded trees as its recording" {
	"$DENDRO" build -o recursion.cct recursion.data
	local view format
	for view in tree callers stats; do
		for format in json csv; do
			"$DENDRO" report --fold-recursion --view $view --format $format recursion.data >recording
			"$DENDRO" report --fold-recursion --view $view --format $format recursion.cct |
				cmp - recording
		done
	done
}
