# --split: values of variables as rows below their function, of programs that are known to call with
# them.

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
	gcc -std=gnu17 -D_GNU_SOURCE -I "$ROOT" -g -O1 -o split_values \
		"$ROOT/tests/workloads/split_values.c"
	"$DENDRO" record -q -e cpu-clock -F 4999 --no-jitter -o many.recorded -- ./split_values 2 \
		>/dev/null
	gcc -std=gnu17 -D_GNU_SOURCE -I "$ROOT" -g -O1 -pthread -o descents \
		"$ROOT/tests/workloads/descents.c"
	"$DENDRO" record -q -e cpu-clock -F 1997 --no-jitter -o deep.recorded -- ./descents 1 60 apart \
		>/dev/null
	gcc -std=gnu17 -D_GNU_SOURCE -I "$ROOT" -O2 -o none "$ROOT/tests/workloads/arguments.c"
	record none.recorded -- ./none 0.1 >/dev/null
	# In two phases, with cgroups, and a second event for what is hot.
	record groups.recorded -e cpu-clock,task-clock --all-cgroups --phase-fifo fifo -- sh -c \
		'echo first >fifo; ./arguments-O2 0.3; echo second >fifo; ./arguments-O2 0.3' >/dev/null
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# The rows for values directly below a function, with their samples: "[size = 512] 103".
rows_below() { # rows_below FUNCTION OPTION...
	local function=$1
	shift
	"$DENDRO" report --format json --min 0 "$@" >tree.json
	ask tree.json 'weight_per_sample as $w | named_nodes as $nodes |
		[$nodes[] | select(.parent >= 0 and .kind == "marker" and .name != "[kernel]" and
			$nodes[.parent].name == $name)] | group_by(.name)[] |
		"\(.[0].name) \(map(.total[0]) | add / $w | round)"' --arg name "$function"
}

@test "split: rows of values have the shares that are known by construction" {
	local file name n all
	for file in O0.data O2.data; do
		rows_below paint --split paint:colour -i $file >rows
		cat rows
		[ "$(cut -d' ' -f1-3 rows | tr '\n' ';')" = '[colour = BLUE];[colour = GREEN];[colour = RED];' ]
		all=$(awk '{ n += $NF } END { print n }' rows)
		while read -r name n; do
			jq -en --argjson n "$n" --argjson all "$all" --argjson p "$name" \
				'($n - $p * $all | fabs) <= 3 * ($p * (1 - $p) * $all | sqrt)'
		done < <(awk '{ p["BLUE]"] = 0.2; p["GREEN]"] = 0.3; p["RED]"] = 0.5; print p[$3], $4 }' rows)
	done
}

@test "split: a value is below its function and above what is inlined into it" {
	local file
	for file in O0.data O2.data; do
		"$DENDRO" export --format folded --split stroke:width -o folded -i $file
		cat folded
		grep -q ';paint;stroke_\[i\];\[width = 513\];rub;' folded
		lacks -E 'stroke_\[i\];[^[]' folded
		lacks -E '\];\[width = [0-9]+\];stroke' folded
	done
	# Without inlined functions, below the one that it is inlined into.
	[ "$(rows_below paint --no-inline --split stroke:width -i O2.data | grep -c '^\[width = ')" -eq 10 ]
}

@test "split: nothing is lost, and functions keep what is theirs" {
	local view
	for view in functions modules lines processes; do
		"$DENDRO" report --format json --view $view -i O2.data >without.json
		"$DENDRO" report --format json --view $view --split paint:size -i O2.data >with.json
		cmp without.json with.json
	done
	for view in tree callers; do
		"$DENDRO" report --format json --view $view --split paint:size -i O2.data |
			jq -e --slurpfile without without.json '.metrics == $without[0].metrics'
	done
}

@test "split: a profile keeps it: reports and sums are those of the recordings" {
	local file view
	for file in O0 O2 many; do
		[ $file = many ] && set -- many.recorded count:number || set -- $file.data paint:name
		"$DENDRO" build --split "$2" -o $file.cct "$1"
		for view in tree callers functions; do
			"$DENDRO" report --format json --view $view --split "$2" -i "$1" >recording.json
			"$DENDRO" report --format json --view $view --split "$2" -i $file.cct >profile.json
			cmp recording.json profile.json
		done
	done
	"$DENDRO" merge -o sum.cct O0.cct O2.cct
	"$DENDRO" merge -o other.cct O2.cct O0.cct
	cmp sum.cct other.cct
	[ "$(rows_below paint -i sum.cct --split paint:name | cut -d' ' -f1-3 | tr '\n' ' ')" = \
		'[name = "cold"] [name = "warm"] ' ]
	refuses 'is not split by that value' 'dendro build' -- \
		"$DENDRO" report --split paint:colour -i O2.cct
}

@test "split: by time, by condition, compared, in every format" {
	local format
	"$DENDRO" build --split paint:colour -o colour.cct O2.data
	"$DENDRO" report --format json --time 0.2-0.6 --split paint:colour -i O2.data >recording.json
	"$DENDRO" report --format json --time 0.2-0.6 -i colour.cct >profile.json
	cmp recording.json profile.json
	[ "$(rows_below paint --where 'paint:colour == RED' --split paint:colour -i O2.data |
		cut -d' ' -f1-3)" = '[colour = RED]' ]
	"$DENDRO" diff --format json --view tree --split paint:colour O2.data O2.data >diff.json
	grep -q 'colour = GREEN' diff.json
	for format in pprof folded speedscope firefox chrome callgrind otlp; do
		"$DENDRO" export --format $format --split paint:colour -o file -i O2.data
		"$DENDRO" export --verify $format file
		case $format in
		pprof | otlp) gzip -dc file 2>/dev/null || cat file ;;
		*) cat file ;;
		esac | grep -q 'colour = RED'
	done
	"$DENDRO" export --format perf.data --split paint:colour -o perf.data -i O2.data
	[ "$("$DENDRO" report --format json -i perf.data | jq '.metrics[0].samples')" -eq \
		"$("$DENDRO" report --format json -i O2.data | jq '.metrics[0].samples')" ]
}

@test "split: with a condition, each view and export of a recording and of its profile are the same" {
	local view format both=(--split paint:colour --where 'paint:size > 100')
	"$DENDRO" build -i O2.data -o both.cct "${both[@]}" 2>/dev/null
	for view in tree callers callgraph functions lines modules processes threads cpus epochs \
		'paths --root paint' syscalls stats; do
		# shellcheck disable=SC2086
		"$DENDRO" report --format json --min 0 --view $view -i O2.data "${both[@]}" >recording.json
		# shellcheck disable=SC2086
		"$DENDRO" report --format json --min 0 --view $view -i both.cct >profile.json
		for file in recording profile; do
			ask $file.json 'del(.recording, .quality)' >$file.rows
		done
		[ -s recording.rows ]
		diff recording.rows profile.rows || {
			echo "$view"
			return 1
		}
	done
	for format in folded pprof speedscope callgrind firefox chrome; do
		"$DENDRO" export --format $format -o recording.out -i O2.data "${both[@]}"
		"$DENDRO" export --format $format -o profile.out -i both.cct
		cmp recording.out profile.out
	done
	# The samples that the condition leaves are those that have the rows.
	"$DENDRO" export --format folded -o conditions.folded -i O2.data --where 'paint:size > 100'
	"$DENDRO" export --format folded -o both.folded -i both.cct
	expect_equal samples "$(awk '{ n += $NF } END { print n }' both.folded)" \
		"$(awk '{ n += $NF } END { print n }' conditions.folded)"
	grep -q ';\[colour = GREEN\]' both.folded
}

@test "split: groups of samples and hot contexts of a recording and of its profile are the same" {
	local view where='paint:colour == RED'
	"$DENDRO" build --split paint:colour -o groups.cct groups.recorded
	"$DENDRO" build --split paint:colour --where "$where" -o red.cct groups.recorded
	for view in cgroups phases epochs cpus "hot --per cpu-clock --threshold 0.1"; do
		if [ "$view" = cgroups ] && "$DENDRO" report --view cgroups groups.recorded 2>&1 |
			grep 'do not have their cgroups'; then
			continue
		fi
		# shellcheck disable=SC2086
		{
			report_json groups.recorded --view $view >without.json
			report_json groups.recorded --view $view --split paint:colour >recording.json
			report_json groups.cct --view $view --split paint:colour >profile.json
			report_json groups.recorded --view $view --split paint:colour --where "$where" >red.json
			report_json red.cct --view $view --split paint:colour >red_profile.json
		}
		cmp recording.json profile.json
		cmp red.json red_profile.json
		for file in without recording; do
			ask $file.json '.rows' >$file.rows
		done
		cmp without.rows recording.rows
		[ "$(jq '[.rows[].total[0] // 0] | add > 0' red.json)" = true ]
	done
	# Of each phase, the rows; of the hot contexts, a row for each value.
	local phase
	for phase in first second; do
		[ "$(rows_below paint --split paint:colour --phase $phase -i groups.cct | cut -d' ' -f1-3 |
			tr '\n' ';')" = '[colour = BLUE];[colour = GREEN];[colour = RED];' ]
	done
	expect_equal values "$(report_json groups.cct --view hot --per cpu-clock --threshold 0.1 \
		--split paint:colour | jq -r '[.contexts[].path[] | select(startswith("[colour"))] | unique |
			join(" ")')" '[colour = BLUE] [colour = GREEN] [colour = RED]'
}

@test "split: differences are those of the rows of both reports" {
	local side file
	"$DENDRO" diff --format json --view tree --split paint:colour O0.data groups.recorded >diff.json
	for file in O0.data groups.recorded; do
		report_json $file --split paint:colour --min 0 >tree.json
		ask tree.json '.metrics[0].total as $all | [named_nodes[] | select(.name | startswith("[colour"))] |
			group_by(.name)[] |
			"\(.[0].name) \(map(.total[0]) | add / $all * 1e6 | round)"' >$file.rows
	done
	for side in before after; do
		[ $side = before ] && file=O0.data || file=groups.recorded
		jq -r --arg side "$side" '[.rows[] | select(.name | startswith("[colour"))] | group_by(.name)[] |
			"\(.[0].name) \(map(.total[$side]) | add * 1e6 | round)"' diff.json >side.rows
		cat side.rows
		[ "$(wc -l <side.rows)" -eq 3 ]
		cmp side.rows $file.rows
	done
}

@test "split: commands without divided paths say what to do" {
	local command
	for command in annotate script values branches; do
		refuses '--split is not supported' "--where 'FUNCTION:EXPRESSION == VALUE'" -- \
			"$DENDRO" $command --split paint:colour
	done
	for command in record top agent; do
		refuses '--split is not supported' "then 'dendro report --split" -- \
			"$DENDRO" $command --split paint:colour
		refuses '--where is not supported' "then 'dendro report --where" -- \
			"$DENDRO" $command --where 'paint:colour == RED'
	done
}

@test "split: many values are told apart up to a bound, and the rest is counted" {
	rows_below count --split count:number -i many.recorded >rows
	[ "$(grep -c '^\[number = [0-9]*\] ' rows)" -eq 1000 ]
	grep -q '^\[number = other values\] ' rows
	run "$DENDRO" report --split count:number -i many.recorded
	grep -qE "^ +$(awk '/other values/ { print $NF }' rows) samples? split by other values than the first 1000" \
		<<<"$output"
}

@test "split: of a recursive function, the innermost activation has the value" {
	"$DENDRO" export --format folded --split descend:level -o folded -i many.recorded
	grep -q ';descend;descend;descend;descend;\[level = 3\]' folded
	lacks 'level = [012]' folded
}

@test "split: texts of values do no harm" {
	rows_below say --split say:text -i many.recorded >rows
	[ "$(wc -l <rows)" -eq 4 ]
	grep -qF '[text = "\033[31m\012"]' rows
	grep -qF '[text = "a;b 5"]' rows
	"$DENDRO" report --split say:text -i many.recorded >text
	lacks -q $'\033' text
	"$DENDRO" report --split say:text --html page.html -i many.recorded
	lacks -q '</script><b>' page.html
	"$DENDRO" export --format folded --split say:text -o folded -i many.recorded
	"$DENDRO" export --verify folded folded
}

@test "split: a function among the callers that a cut path is joined to has a value that is not known" {
	rows_below main --split main:argc -i deep.recorded >rows
	cat rows
	grep -q '^\[argc = 4\] ' rows
	grep -q '^\[argc not available: in memory that the sample does not have\] ' rows
	[ "$(wc -l <rows)" -eq 2 ]
}

@test "split: values that are not known have a row that says why" {
	run rows_below paint --split paint:size -i none.recorded
	[[ "$output" == '[size not available: no debug information] '* ]]
	run "$DENDRO" report --split paint:size -i none.recorded
	grep -qE '^ +[0-9]+ samples? split by a value that is not known' <<<"$output"
	run rows_below paint --split paint:no_such -i O2.data
	[[ "$output" == '[no_such not available: '* ]]
	run "$DENDRO" report --split no_such:x -i O2.data
	[ "$status" -eq 0 ]
	[[ "$output" == *"--split: no call path has the function 'no_such'"* ]]
	refuses "lacks the name of a function before a ':'." -- "$DENDRO" report --split size -i O2.data
}
