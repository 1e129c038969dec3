# dendro report --activations: calls that samples prove, never more than were made.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record figure1.data -- "$WORKLOADS/figure1" 0.5 count >figure1.rounds
	"$DENDRO" record -q -F 4000 -o often.data -- "$WORKLOADS/figure1" 0.3 count >often.rounds
	"$DENDRO" build -o figure1.cct figure1.data
	"$DENDRO" build -o often.cct often.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# calls_of FILE PATH : what the tree has for the user functions of the path, from main on
calls_of() {
	report_json "$1" --activations --kernel none | jq --arg path "$2" '
		.frames as $frames | .nodes as $nodes
		| [$nodes[] | select(.[4].activations) | .[4].activations as $n
			| [recurse(if .[0] < 0 then empty else $nodes[.[0]] end) | $frames[.[1]].name]
			| reverse | join(" ") | select(endswith(" " + $path)) | $n] | add // 0'
}

# expect_calls WHAT FILE PATH MOST : from 1 to MOST calls of the path's last function
expect_calls() {
	local n
	n=$(calls_of "$2" "$3")
	echo "$1: at least $n of $4 calls"
	[ "$n" -ge 1 ] && [ "$n" -le "$4" ]
}

@test "of the paper's figure 1, no more calls are seen than were made" {
	local file rounds
	for file in figure1 often; do
		rounds=$(<$file.rounds)
		expect_calls main $file.data main 1
		expect_calls a $file.data "main a" "$rounds"
		expect_calls b $file.data "main b" "$rounds"
		expect_calls "c by a" $file.data "main a c" "$rounds"
		expect_calls "c by b" $file.data "main b c" $((2 * rounds))
		expect_calls "d by a" $file.data "main a c d" "$rounds"
		expect_calls "d by b" $file.data "main b c d" $((2 * rounds))
	done
}

@test "samples at each call prove no more calls than were made either" {
	need_root
	[ -r /sys/bus/event_source/devices/uprobe/type ] || skip "this kernel has no uprobe PMU"
	local rounds
	rounds=$("$DENDRO" record -q -m 32M -o calls.data -e cpu-clock -e "call:$WORKLOADS/figure1:c" -- \
		"$WORKLOADS/figure1" 0.5 count)
	expect_calls main calls.data main 1
	expect_calls a calls.data "main a" "$rounds"
	expect_calls "c by a" calls.data "main a c" "$rounds"
	expect_calls "c by b" calls.data "main b c" $((2 * rounds))
}

@test "the functions' calls are those of the tree, and of their callers in the call graph" {
	local name
	report_json figure1.data --activations --view functions >functions
	report_json figure1.data --activations >tree
	report_json figure1.data --activations --view callgraph >graph
	for name in main a b c d; do
		expect_equal "$name in the tree" \
			"$(jq --arg name $name '.frames as $f | [.nodes[] | select($f[.[1]].name == $name)
				| .[4].activations] | add' tree)" \
			"$(jq --arg name $name '[.rows[] | select(.name == $name) | .activations] | add' functions)"
		expect_equal "$name by its callers" \
			"$(jq --arg name $name '[.rows[] | select(.name == $name) | .callers[].activations] | add' graph)" \
			"$(jq --arg name $name '[.rows[] | select(.name == $name) | .activations] | add' graph)"
	done
}

@test "a profile has the calls of its recording, in all formats" {
	local view format
	for view in tree functions callgraph; do
		for format in json csv; do
			"$DENDRO" report --activations --view $view --format $format figure1.data >recording
			"$DENDRO" report --activations --view $view --format $format figure1.cct | cmp - recording
		done
		"$DENDRO" report --activations --view $view figure1.data | tail -n +2 >recording
		"$DENDRO" report --activations --view $view figure1.cct | tail -n +2 | cmp - recording
		grep -q 'called >=' recording
	done
	"$DENDRO" report --activations --focus '^a$' --format csv figure1.data >recording
	"$DENDRO" report --activations --focus '^a$' --format csv figure1.cct | cmp - recording
}

@test "merging adds the calls up" {
	sum() {
		report_json "$1" --activations --by thread | jq '[.nodes[] | .[4].activations // 0] | add'
	}
	"$DENDRO" merge -o both.cct often.cct figure1.data
	expect_equal sum "$(sum both.cct)" $(($(sum figure1.cct) + $(sum often.cct)))
	report_json both.cct --activations >merged
	report_json often.cct figure1.cct --activations | cmp - merged
}

@test "the calls that a program made before fork are not its children's" {
	need_events
	record fork.data -- "$WORKLOADS/processes" fork 20
	report_json fork.data --activations --view functions >functions
	local name most n
	while read -r name most; do
		n=$(jq --arg name "$name" '[.rows[] | select(.name == $name) | .activations] | add // 0' \
			functions)
		echo "$name: at least $n of $most calls"
		[ "$n" -le "$most" ]
	done <<-END
		main 1
		parent_work 20
		fork_child 20
		child_work 20
		fork_grandchild 20
		grandchild_work 20
	END
}

@test "without the column nothing changes" {
	report_json figure1.data | grep -c activations && return 1
	report_json figure1.data >recording
	report_json figure1.cct | cmp - recording
}

@test "where samples or parts of paths are left out, calls are not counted" {
	local options
	for options in "--tid 1" "--cpu 0" "--event cpu-clock" "--caller-depth 2" "--view lines" "--view callers"; do
		# shellcheck disable=SC2086
		run "$DENDRO" report --activations $options figure1.cct
		[ "$status" -eq 129 ]
		[[ $output == *--activations* ]]
	done
}
