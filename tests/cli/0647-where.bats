# --where: only the samples for which a variable has some value. The program calls with arguments whose
# shares are known.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need jq gcc
	cd "$BATS_FILE_TMPDIR"
	local level
	for level in 0 2; do
		gcc -std=gnu17 -D_GNU_SOURCE -I "$ROOT" -g -O$level -o arguments-O$level \
			"$ROOT/tests/workloads/arguments.c"
		record O$level.data -- ./arguments-O$level 1 >/dev/null
	done
	gcc -std=gnu17 -D_GNU_SOURCE -I "$ROOT" -O2 -o none "$ROOT/tests/workloads/arguments.c"
	record none.recorded -- ./none 0.1 >/dev/null
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# Samples that a report takes.
taken() { # taken FILE OPTION...
	local file=$1
	shift
	"$DENDRO" report --format json "$@" -i "$file" | jq '.metrics[0].samples'
}

# expect_taken FILE CONDITION SHARE : of the samples of paint(), so many are taken, within three
# standard errors.
expect_taken() {
	local all n
	all=$(taken "$1" --where 'paint:size >= 1')
	n=$(taken "$1" --where "$2")
	echo "$1, $2: $n of $all, expected $3"
	jq -en --argjson n "$n" --argjson all "$all" --argjson p "$3" \
		'($n - $p * $all | fabs) <= 3 * ($p * (1 - $p) * $all | sqrt)' >/dev/null
}

@test "where: the shares of arguments that are known by construction" {
	local file
	for file in *.data; do
		expect_taken $file 'paint:colour == RED' 0.5
		expect_taken $file 'paint:colour != BLUE' 0.8
		expect_taken $file 'paint:size > 16' 0.5
		expect_taken $file "paint:mark == 'b'" 0.5
		expect_taken $file 'paint:name == "cold"' 0.5
		expect_taken $file 'stroke:width < 6' 0.3
		# The caller's variable: in all samples of main(), its own too.
		[ "$(taken $file --where 'main:canvas.at.x == -3')" -ge \
			"$(taken $file --where 'paint:size >= 1')" ]
	done
}

@test "where: two conditions part all samples of a function, in every view" {
	local file view red other all
	for file in *.data; do
		all=$(taken $file --where 'paint:size >= 1')
		red=$(taken $file --where 'paint:colour == RED')
		other=$(taken $file --where 'paint:colour != RED')
		[ $((red + other)) -eq "$all" ]
		[ "$(taken $file --where 'paint:colour == RED' --where 'paint:colour == GREEN')" -eq 0 ]
		for view in tree callers functions modules; do
			[ "$(taken $file --view $view --where 'paint:colour == RED')" -eq "$red" ]
		done
	done
}

@test "where: names say the same as numbers and texts" {
	local red
	red=$(taken O0.data --where 'paint:colour == RED')
	[ "$(taken O0.data --where 'paint:colour == 0')" -eq "$red" ]
	[ "$(taken O0.data --where 'paint:name == "warm"')" -eq "$red" ]
	[ "$(taken O0.data --where '  paint : *name=='"'w'")" -eq "$red" ]
}

@test "where: a profile of the samples reports as the recording does" {
	"$DENDRO" build --where 'paint:colour == RED' -o red.cct O2.data
	"$DENDRO" report --format json --where 'paint:colour == RED' -i O2.data >recording.json
	"$DENDRO" report --format json -i red.cct >profile.json
	cmp recording.json profile.json
	refuses 'does not have the values of variables' 'dendro build' -- \
		"$DENDRO" report --where 'paint:colour == RED' -i red.cct
}

@test "where: exports and comparisons take the same samples" {
	local red
	red=$(taken O2.data --where 'paint:colour == RED')
	"$DENDRO" export --format folded --where 'paint:colour == RED' -o red.folded -i O2.data
	"$DENDRO" export --format folded --where 'paint:size >= 1' -o all.folded -i O2.data
	grep -q paint red.folded
	[ "$(awk '{ n += $NF } END { print n }' red.folded)" -lt \
		"$(awk '{ n += $NF } END { print n }' all.folded)" ]
	[ "$("$DENDRO" script --where 'paint:colour == RED' -i O2.data | grep -c 'cpu-clock:')" -eq "$red" ]
	run "$DENDRO" diff --format json --where 'paint:colour == RED' O2.data O0.data
	[ "$status" -eq 0 ]
	[ "$("$DENDRO" values --format json --where 'paint:colour == RED' -i O2.data paint colour |
		jq -r '.variables[].values | map(.value) | join(" ")')" = RED ]
}

@test "where: lines and instructions of a function have the cost of the samples that are taken" {
	local file where
	for file in O0.data O2.data; do
		for where in 'paint:colour == RED' 'paint:size > 16'; do
			"$DENDRO" annotate --no-source --total --format json --where "$where" paint $file >paint.json
			report_json $file --view functions --where "$where" >functions.json
			expect_equal total "$(jq -c '.functions[0].total[0]' paint.json)" \
				"$(jq -c '.rows[] | select(.name == "paint").total[0]' functions.json)"
		done
	done
	refuses "the condition on 'size' holds for none" -- \
		"$DENDRO" annotate --where 'paint:size > 100000' paint O2.data
}

@test "where: samples at which the value is not known are left out, counted and said" {
	run "$DENDRO" report --where 'paint:size > 0' -i none.recorded
	[[ "$output" == *"'paint' has no debug information, which --where needs."* ]]
	grep -qE '^ +[0-9]+ samples? left out because it is not known whether --where holds' <<<"$output"
	run "$DENDRO" report --where 'no_such:size > 0' -i O2.data
	[[ "$output" == *"no stack has a frame of 'no_such'"* ]]
	run "$DENDRO" report --where 'paint:colour == REDD' -i O2.data
	[[ "$output" == *"'colour' has no such variable or member of 'paint', or the value cannot be compared so"* ]]
	run "$DENDRO" report --where 'paint:size > 100000' -i O2.data
	[[ "$output" == *"the condition on 'size' holds for none of the"* ]]
}

@test "where: what is no condition is refused" {
	refuses "lacks the name of a function before a ':'." -- "$DENDRO" report --where 'size > 0' -i O2.data
	refuses 'lacks one of ==' -- "$DENDRO" report --where 'paint:size' -i O2.data
	refuses 'asks for an order' -- "$DENDRO" report --where 'paint:colour < RED' -i O2.data
}
