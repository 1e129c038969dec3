# Call path profiles from any root function, down and up: shares known by construction.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record recursion.data -- "$WORKLOADS/recursion" 2
	record figure1.data -e cpu-clock,page-faults -- "$WORKLOADS/figure1" 2
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

paths() { # paths FILE ROOT [OPTION...]
	report_json "$1" --view paths --root "$2" "${@:3}"
}

samples_of() { # samples_of PATHS NAME... : of the path of these names, below the root of the tree
	local file=$1
	shift
	ask "$file" '[nodes | select((.path[1:] | join(" ")) == $path).total] | add // 0 | round' --arg path "$*"
}

@test "a path down from a function counts all its calls, in shares of the whole" {
	paths figure1.data c >c.paths
	report_json figure1.data --view functions >functions
	expect_equal "c" "$(samples_of c.paths c)" "$(ask functions 'rows_named("c").total')"
	expect_equal "c d" "$(samples_of c.paths c d)" "$(ask functions 'rows_named("d").total')"
	expect_equal "all" "$(jq '.nodes[0][3][0]' c.paths)" "$(jq '.metrics[0].total' functions)"
}

@test "a path up from a function has what it cost through each caller" {
	paths figure1.data d --direction up >d.paths
	report_json figure1.data >tree
	expect_share "a c d" "$(samples_of d.paths d c a)" "$(samples_of d.paths d)" 1 2
	for caller in a b; do
		expect_equal "$caller" "$(samples_of d.paths d c $caller main)" \
			"$(ask tree '[nodes | select(.name == "d" and (.path | index($caller))).total] | add | round' --arg caller $caller)"
	done
}

@test "in recursion a path goes on from where its function was, and no sample counts twice" {
	local root recursive
	for root in odd recurse; do
		paths recursion.data $root --kernel none >$root.paths # an interrupt may come anywhere
		jq -e '.nodes[0][3][0] as $all | all(.nodes[]; .[2][0] <= .[3][0] and .[3][0] <= $all)' $root.paths
		jq -e '([.nodes[][2][0]] | add) == .metrics[0].total' $root.paths
	done
	report_json recursion.data >tree
	expect_equal odd "$(samples_of odd.paths odd)" "$(ask tree 'samples_under(.name == "odd")')"
	expect_equal "functions below odd" "$(ask odd.paths 'children_of("odd") | join(" ")')" "deepest_work even"
	expect_equal "functions below even" "$(ask odd.paths 'children_of("even") | join(" ")')" odd
	expect_equal "odd even odd" "$(samples_of odd.paths odd even odd)" "$(samples_of odd.paths odd even)"
	recursive=$(samples_of recurse.paths recurse recurse)
	expect_at_least "samples in the recursion" "$recursive" "$(samples_of recurse.paths recurse)" 95
}

@test "paths up from what two recursions call have their shares" {
	local all
	paths recursion.data deepest_work --direction up >up.paths
	all=$(samples_of up.paths deepest_work)
	expect_share plain "$(samples_of up.paths deepest_work plain main)" "$all" 1 2
	expect_share recurse "$(samples_of up.paths deepest_work recurse main)" "$all" 1 4
	expect_share "even and odd" "$(samples_of up.paths deepest_work odd even main)" "$all" 1 4
}

@test "text has the paths of all costs, and names the other direction" {
	"$DENDRO" report --view paths --root c figure1.data | tee text
	grep -Eq '^ *cpu-clock +page-faults' text
	grep -q 'Paths that begin with c, in shares of the whole recording.' text
	grep -q -- '--direction up' text
	"$DENDRO" report --view paths --root odd recursion.data | grep -Eq '^ .* odd \(recursive\) +recursion$'
	COLUMNS=80 "$DENDRO" report --view paths --root d --direction up figure1.data | awk '
		/^ +total/ { rows = 1 } rows && length($0) > 80 { print; wide = 1 } END { exit wide }'
	expect_equal "CSV" "$("$DENDRO" report --view paths --root c -f csv figure1.data | sed -n 3p | cut -d, -f1-4)" \
		'1,"c","figure1",user'
}

@test "a stored profile has the paths of its recording" {
	local direction format
	"$DENDRO" build -o recursion.cct recursion.data
	for direction in down up; do
		for format in json csv; do
			for file in recursion.data recursion.cct; do
				"$DENDRO" report --view paths --root odd --direction $direction -f $format $file >$file.out
			done
			cmp recursion.data.out recursion.cct.out
		done
	done
}

@test "a root that is missing or unknown is explained" {
	refuses "--view paths needs --root FUNCTION" "--view functions --sort total" -- \
		"$DENDRO" report --view paths recursion.data
	refuses "'nosuch'" "--view functions --sort total" -- \
		"$DENDRO" report --view paths --root nosuch recursion.data
	refuses "need --view paths" -- "$DENDRO" report --direction up recursion.data
	"$DENDRO" report --view paths --root odd --comm nosuch recursion.data 2>&1 | grep -q "No samples"
	report_json recursion.data --view paths --root odd --comm nosuch >none
	jq -e '(.frames | length) == 1 and [.nodes[][:2]] == [[-1, 0]]' none
}
