# Samples selected by the functions on their paths, and paths without functions or outer callers.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need gcc
	cd "$BATS_FILE_TMPDIR"
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -o inlined "$ROOT/tests/workloads/inlined.c"
	local name
	record figure1.data -- "$WORKLOADS/figure1" 1
	record recursion.data -- "$WORKLOADS/recursion" 1
	record inlined.data -- ./inlined 1
	for name in figure1 recursion inlined; do
		report_json $name.data >$name.tree
		report_json $name.data --view functions >$name.functions
		"$DENDRO" build -o $name.cct $name.data
	done
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# selected FILE OPTION... : how many samples these options select
selected() {
	report_json "$@" | jq '.selection.samples[0]'
}

all_of() { # all_of NAME : its samples
	jq '.metrics[0].samples' "$1.tree"
}

below() { # below FUNCTION : samples of deepest_work there
	ask recursion.tree '[nodes | select(.name == "deepest_work" and (.path | index($f))).total] | add | round' --arg f "$1"
}

@test "focus and ignore divide the samples, and focus has those of the function" {
	local with without
	with=$(selected figure1.data --focus '^a$')
	without=$(selected figure1.data --ignore '^a$')
	expect_equal "both" $((with + without)) "$(all_of figure1)"
	expect_equal "a" "$with" "$(total_of figure1.functions a)"
	expect_share "a" "$with" "$(total_of figure1.functions c)" 1 2
	report_json figure1.data --focus '^a$' >a.tree
	expect_equal "b in the tree" "$(ask a.tree '[nodes | select(.name == "b")] | length')" 0
	expect_equal "the whole" "$(jq '.nodes[0][3][0]' a.tree)" "$(jq '.metrics[0].total' figure1.tree)"
	expect_equal "what is left out" "$(jq '.nodes[0][2][0] + .selection.total[0]' a.tree)" \
		"$(jq '.metrics[0].total' figure1.tree)"
}

@test "a path goes through functions in their order, each call once" {
	expect_equal "a, d" "$(selected figure1.data --through 'a,d')" \
		"$(ask figure1.tree '[nodes | select(.name == "d" and (.path | index("a"))).total] | add | round')"
	expect_equal "globs" "$(selected figure1.data --through 'm*n,[ab],d')" "$(total_of figure1.functions d)"
	expect_equal "d, a" "$(selected figure1.data --through 'd,a' 2>note)" 0
	grep -q "no sample passes --through 'd,a'" note
	expect_equal "50 calls" "$(selected recursion.data --through "$(printf 'recurse,%.0s' {1..50})deepest_work")" \
		"$(below recurse)"
	expect_equal "51 calls" "$(selected recursion.data --through "$(printf 'recurse,%.0s' {1..50})recurse" 2>/dev/null)" 0
}

@test "several conditions hold together, with filters" {
	expect_equal "all" "$(selected recursion.data --focus deepest --ignore '^recurse$' --ignore '^even$' \
		--through main,plain --comm recursion)" \
		"$(below plain)"
	expect_equal "another command" "$(selected recursion.data --focus deepest --comm sh 2>/dev/null)" 0
}

@test "hidden functions leave their cost to their callers" {
	report_json figure1.data --hide '^[bc]$' >hidden.tree
	expect_equal "functions hidden" "$(jq .selection.hidden_functions hidden.tree)" 2
	expect_equal "callers of d" "$(ask hidden.tree 'parents_of("d") | join(" ")')" "a main"
	report_json figure1.data --hide '^[bc]$' --view functions >hidden.functions
	expect_equal "d" "$(total_of hidden.functions d)" "$(total_of figure1.functions d)"
	expect_equal "a" "$(total_of hidden.functions a)" "$(total_of figure1.functions a)"
	report_json figure1.data --hide '^d$' --kernel none --view functions >leaf.functions
	report_json figure1.data --kernel none --view functions >plain.functions
	expect_equal "self of c" "$(ask leaf.functions 'rows_named("c").self')" "$(total_of plain.functions c)"
	expect_equal "selected" "$(jq -r '.selection.samples[0]' leaf.functions)" "$(all_of figure1)"
}

@test "of a cut path, the innermost callers are left" {
	report_json figure1.data --caller-depth 1 --kernel none >cut.tree
	expect_equal "below the process" "$(ask cut.tree '[nodes | select(.name == "d").path[2:] | join(" ")] | unique | join(",")')" \
		"c d"
	# A function that is inlined in the innermost one belongs to it.
	report_json figure1.data --caller-depth 0 --kernel none --no-inline >leaves.tree
	expect_equal "functions with callers" "$(ask leaves.tree '[nodes | select(.path | length > 3)] | length')" 0
	report_json recursion.data --caller-depth 3 --view callers --kernel none >cut.callers
	expect_equal "d's callers" "$(ask cut.callers '[nodes | select(.path[1] == "deepest_work" and (.path | length) == 5)
		.path[1:] | join(" ")] | sort | join(",")')" \
		"deepest_work odd even odd,deepest_work plain main $(ask recursion.tree \
			'[nodes | select(.name == "main").path[-2]] | unique | join(" ")'),deepest_work recurse recurse recurse"
	for tree in cut leaves; do
		expect_equal "the sum in $tree" "$(jq '[.nodes[][2][0]] | add' $tree.tree)" \
			"$(jq '.metrics[0].total' $tree.tree)"
	done
}

@test "inlined functions are selected and hidden, too" {
	expect_equal "innermost" "$(selected inlined.data --focus '^innermost$')" \
		"$(total_of inlined.functions innermost)"
	expect_equal "without inlined functions" "$(selected inlined.data --no-inline --focus '^innermost$' 2>/dev/null)" 0
	report_json inlined.data --hide '^middle$' >hidden.tree
	expect_equal "caller" "$(ask hidden.tree 'parents_of("called_by_inlined") | join(" ")')" outer_of_two
	expect_equal "hidden" "$(ask hidden.tree '[nodes | select(.name == "middle")] | length')" 0
	report_json inlined.data --hide '^(innermost|unit|middle)$' --kernel none >outer.tree
	expect_equal "functions" "$(ask outer.tree '[nodes | select(.self > 20).name] | unique | join(" ")')" \
		"called_by_inlined outer_of_one outer_of_two"
}

@test "a profile gives the recording's result, in each view and format, and no share is above the whole" {
	local view options
	for options in "--through odd,even --hide ^even$" "--ignore ^plain$ --caller-depth 4"; do
		for view in tree callers callgraph functions lines modules processes syscalls stats "paths --root odd"; do
			# shellcheck disable=SC2086
			report_json recursion.data --view $view $options >recorded
			# shellcheck disable=SC2086
			report_json recursion.cct --view $view $options >stored
			cmp recorded stored
			jq -e '.metrics[0].total as $all | all(.rows[]?; .self[0] <= .total[0] and .total[0] <= $all)' recorded
			jq -e '.metrics[0].total as $all | all(.nodes[]?; .[3][0] <= $all)' recorded
			jq -e '.metrics[0].total as $all | ([.rows[]?.self[0]] | add // 0) <= $all' recorded
		done
	done
	"$DENDRO" report --format csv --focus '^odd$' recursion.data >recorded 2>note
	"$DENDRO" report --format csv --focus '^odd$' recursion.cct 2>/dev/null | cmp - recorded
	grep -Eq 'selected: [0-9]+\.[0-9]{2} % of cpu-clock, [0-9]+ of [0-9]+ samples' note
}

@test "exports have the selected paths alone, and say so" {
	"$DENDRO" export -f folded --focus '^a$' --hide '^main$' figure1.data >folded 2>note
	grep -q 'selected: ' note
	expect_equal "other paths" "$(grep -cv '^figure1;.*;a[; ]' folded)" 0
	lacks ';main;' folded
	expect_equal "cost" "$(awk '{ n += $NF } END { print n }' folded)" \
		"$(report_json figure1.data --focus '^a$' | jq '.selection.total[0]')"
	"$DENDRO" export -f pprof --focus '^a$' --caller-depth 2 figure1.data 2>/dev/null | zcat >pprof
	grep -aq "selection: --focus '^a\$' --caller-depth 2" pprof
}

# listed FILE OPTION... : how many samples `dendro script` lists
listed() {
	"$DENDRO" script -F time "${@:2}" "$1" 2>notes | wc -l
}

@test "a listing has the samples that a report selects, and their shortened paths" {
	local options
	for options in "--focus ^c$" "--ignore ^c$" "--through a,*,d" "--focus ^d$ --ignore ^a$ --cpu 0-999"; do
		# shellcheck disable=SC2086
		expect_equal "figure1 $options" "$(listed figure1.data $options)" \
			"$(selected figure1.data $options)"
	done
	expect_equal inlined "$(listed inlined.data --focus '^innermost$')" \
		"$(selected inlined.data --focus '^innermost$')"
	"$DENDRO" script --focus '^d$' --caller-depth 1 --hide '^c$' -F ip,sym figure1.data >list
	expect_equal "lines of a path" "$(awk 'BEGIN { RS = "" } { print NF }' list | sort -nu | tail -n 1)" 4
	! grep -q ' c$' list
	grep -Eq ' (a|b)$' list
	"$DENDRO" script --focus nosuch figure1.data 2>&1 | grep -q "no function matches --focus 'nosuch'"
	"$DENDRO" script --ignore . figure1.data 2>&1 | grep -q "no sample passes --ignore '.'"
}

@test "the header has the options, the share that is selected, and shares are of the whole" {
	"$DENDRO" report --through main,a --hide '^c$' --view functions figure1.data | tee text
	grep -q "^selection   --through 'main,a' --hide '^c\$'\$" text
	grep -Eq "^ +$(selected figure1.data --through main,a) +[0-9]+\.[0-9]{2}%  of $(all_of figure1) samples of cpu-clock" text
	grep -q ' 1 function hidden' text
	expect_equal "share of a" "$(awk '$NF == "figure1" && / a / { print $1 }' text)" \
		"$(awk '/samples of cpu-clock$/ && /%/ { print $2 }' text)"
}

@test "what matches nothing is noted with names like it, and the report is empty" {
	"$DENDRO" report --focus '^deepest_works$' recursion.data >text 2>note
	grep -q "no function matches --focus '^deepest_works\$'; did you mean deepest_work?" note
	grep -q '^No samples.$' text
	"$DENDRO" report --through main,deepst_work --hide plian recursion.data >text 2>note
	grep -q "no function matches --through 'deepst_work'; did you mean deepest_work?" note
	grep -q "no function matches --hide 'plian'; did you mean plain?" note
	"$DENDRO" export -f folded --focus '^x$' recursion.data >folded 2>note
	[ ! -s folded ]
}

@test "what cannot be read is refused with the reason" {
	local status
	for value in '--focus=(' '--ignore=[a' '--hide=a{2' '--through=a,,b' '--through=' '--caller-depth=x' \
		'--caller-depth=-1'; do
		status=0
		"$DENDRO" report "$value" figure1.data 2>message || status=$?
		cat message
		expect_equal "status of $value" $status 129
		grep -q -- "${value%%=*}" message
	done
}
