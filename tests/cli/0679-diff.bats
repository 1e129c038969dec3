# dendro diff: what changed between runs, with known ratios of work.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

# dispatch_1 and dispatch_2 have work in the ratio 1:2 before, and 1:6 after.
make_recordings() {
	need_events
	need cc jq python3
	cd "$BATS_FILE_TMPDIR"
	mkdir before after
	sed 's/worker(2 \* n)/worker(6 * n)/' "$ROOT/tests/workloads/dispatch.c" >after/dispatch.c
	cc -O2 -I"$ROOT/tests/workloads" -o before/dispatch "$ROOT/tests/workloads/dispatch.c"
	cc -O2 -I"$ROOT/tests/workloads" -o after/dispatch after/dispatch.c
	for i in 1 2 3 4; do
		record before$i.data -- before/dispatch 0.5
		record after$i.data -- after/dispatch 0.5
	done
	"$DENDRO" build -o before1.cct before1.data
	"$DENDRO" build -o after1.cct after1.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

row() { # row FILE NAME FILTER
	jq -r --arg name "$2" ".rows[] | select(.name == \$name) | $3" "$1"
}

@test "a recording does not differ from itself" {
	"$DENDRO" diff --fail-above 0 before1.data before1.data >out
	grep -q '^No function moved by more than chance' out
	"$DENDRO" diff --format json before1.data before1.data >json
	expect_equal changed "$(jq '[.rows[] | select(.self.difference != 0 or .total.difference != 0
		or .status)] | length' json)" 0
	expect_equal significant "$("$DENDRO" diff --significant --format csv before1.data before1.data |
		wc -l)" 1
}

@test "what became dearer and what became cheaper is found, and how far" {
	"$DENDRO" diff --sort total --format json before1.data after1.data >json
	expect_equal first "$(jq -r '.rows[0:2] | map(.name) | sort | join(" ")' json)" \
		"dispatch_1 dispatch_2"
	local name
	for name in dispatch_1 dispatch_2; do
		row json $name .total.significant | grep -q true
	done
	# From 2/3 to 6/7 of main: within five errors.
	row json dispatch_2 '.total | (.difference - (6/7 - 2/3)) / .error | fabs < 5' | grep -q true
	row json dispatch_1 '.total | (.difference - (1/7 - 1/3)) / .error | fabs < 5' | grep -q true
	"$DENDRO" diff --sort total before1.data after1.data | grep -q '^.* \* *dispatch_2 '
}

@test "a rise sets the exit status" {
	run "$DENDRO" diff --sort total --fail-above 5 before1.data after1.data
	[ "$status" -eq 1 ]
	run "$DENDRO" diff --sort total --fail-above '5:dispatch_?' before1.data after1.data
	[ "$status" -eq 1 ]
	[[ $output == *"dispatch_2 rose by more than 5 %."* ]]
	"$DENDRO" diff --sort total --fail-above 5:dispatch_1 before1.data after1.data
	"$DENDRO" diff --sort total --fail-above 500:dispatch_2 before1.data after1.data
	run "$DENDRO" diff --fail-above 5:nowhere before1.data after1.data
	[ "$status" -eq 2 ]
}

@test "several runs a side are compared" {
	"$DENDRO" diff --sort total --format json before?.data -- after?.data \
		--significant >json
	row json dispatch_2 '.total.difference > 0.1' | grep -q true
	expect_equal runs "$(jq -r '.runs | map(.side) | join(" ")' json)" "before before before before after after after after"
	"$DENDRO" diff before?.data -- after?.data |
		grep -q '^errors *of sampling, or between runs'
}

@test "profiles give the same comparison as recordings" {
	local options
	for options in "" "--view modules" "--view processes" "--view lines" "--normalize time" \
		"--normalize samples" "--sort total --kernel none" "--view tree"; do
		# shellcheck disable=SC2086
		"$DENDRO" diff --format csv $options before1.data after1.data >theirs
		# shellcheck disable=SC2086
		"$DENDRO" diff --format csv $options before1.cct after1.data >ours
		cmp theirs ours
	done
	"$DENDRO" diff --format csv before1.cct after1.cct >ours
	"$DENDRO" diff --format csv before1.data after1.data | cmp - ours
}

@test "cost is divided by what was done" {
	"$DENDRO" diff --format json --per rounds=10,20 before1.data before1.data >json
	expect_equal halves "$(jq '[.rows[].total.relative | . == -0.5] | all' json)" true
	expect_equal per "$(jq -r '.per, .runs[1].amount' json | tr '\n' ' ')" "rounds 20 "
	"$DENDRO" diff --format json --per rounds=1,1,1,3 before1.data before1.data -- before1.data \
		before1.data >json
	expect_equal halves "$(jq '[.rows[].total.relative | . == -0.5] | all' json)" true
}

@test "text fits 80 and 120 columns" {
	local width
	for width in 80 120; do
		COLUMNS=$width "$DENDRO" diff --min 0 before1.data after1.data >out
		expect_equal "lines too wide" "$(awk -v width=$width 'length > width' out | wc -l)" 0
	done
}

@test "a line of text names the file and number of a source line, however narrow it is" {
	local side width
	cp "$ROOT/tests/workloads/dispatch.c" before/dispatch.c
	for side in before after; do
		mkdir -p $side/lines
		sed 's/\<worker\>/worker_whose_name_leaves_no_room/' $side/dispatch.c >long.c
		cc -g -O2 -I"$ROOT/tests/workloads" -o $side/lines/dispatch long.c
		record $side.data -- $side/lines/dispatch 0.3
	done
	"$DENDRO" diff --view lines --sort total --format json before.data after.data |
		jq -r '.rows[] | select(.module == "dispatch" and .file and .total.difference != 0) |
			"\(.file | sub(".*/"; "")):\(.line)"' | sort -u >places
	[ -s places ]
	for width in 60 80 120; do
		COLUMNS=$width "$DENDRO" diff --view lines --sort total --min 0 before.data after.data >out
		grep -oE '[a-z_-]+\.[ch]:[0-9]+( |$)' out | tr -d ' ' | sort -u >shown
		expect_equal "places that are cut" "$(comm -23 places shown)" ""
		expect_equal "lines too wide" "$(awk -v width=$width 'length > width' out | wc -l)" 0
		expect_equal "spaces at ends" "$(grep -c ' $' out)" 0
	done
}

@test "several events are compared side by side" {
	record two1.data -e cpu-clock,page-faults -- before/dispatch 0.3
	record two2.data -e cpu-clock,page-faults -- after/dispatch 0.3
	"$DENDRO" diff --format json two1.data two2.data >json
	expect_equal events "$(jq -r '.event, .others[].event' json | tr '\n' ' ')" \
		"cpu-clock page-faults "
	# Each event has the numbers that it has alone.
	"$DENDRO" diff --format json --event page-faults two1.data two2.data >alone
	expect_equal "rows without their numbers" "$(jq -s '
		(.[1].rows | map({key: "\(.name) \(.module) \(.kind)", value: [.self, .total]}) |
			from_entries) as $alone |
		[.[0].rows[] | select(.others[0].total | .before > 0 or .after > 0) |
		 select($alone["\(.name) \(.module) \(.kind)"][0].difference != .others[0].self.difference)] |
		length' json alone)" 0
	expect_equal total "$(jq -c '.others[0].total' json)" "$(jq -c .total alone)"
	"$DENDRO" diff --format csv two1.data two2.data >csv
	head -1 csv | grep -q ',self before,.*,"page-faults self before",.*"page-faults total q"'
	expect_equal "numbers of fields" "$(python3 -c 'import csv
print({len(row) for row in csv.reader(open("csv", newline=""))})')" "{32}"
}

@test "columns of events that have no room are left out, and the header names these" {
	record two1.data -e cpu-clock,page-faults -- before/dispatch 0.3
	record two2.data -e cpu-clock,page-faults -- after/dispatch 0.3
	local width
	for width in 80 95 120; do
		COLUMNS=$width "$DENDRO" diff --min 0 two1.data two2.data >out
		expect_equal "lines too wide" "$(awk -v width=$width 'length > width' out | wc -l)" 0
		grep -q '^total *cpu-clock: ' out
	done
	grep -q '^cpu-clock  *page-faults' out
	COLUMNS=80 "$DENDRO" diff two1.data two2.data >out
	grep -q '^ *page-faults (no room for its columns)$' out
}

@test "an event that one side lacks is named and not compared" {
	record two1.data -e cpu-clock,page-faults -- before/dispatch 0.3
	"$DENDRO" diff --format json two1.data after1.data >json 2>notes
	grep -q "after1.data has no samples of the event 'page-faults', which is not compared." notes
	expect_equal others "$(jq 'has("others")' json)" false
}

@test "wrong input is explained" {
	echo nonsense >nonsense
	head -c $(($(stat -c %s before1.cct) / 2)) before1.cct >cut.cct
	local file
	for file in nonsense cut.cct missing; do
		run "$DENDRO" diff before1.data $file
		[ "$status" -eq 2 ]
		[[ $output == *"$file"* ]]
	done
	run "$DENDRO" diff before1.data
	[ "$status" -eq 129 ]
	run "$DENDRO" diff before1.data after1.data before2.data
	[ "$status" -eq 129 ]
	run "$DENDRO" diff --per rounds=1,0 before1.data after1.data
	[ "$status" -eq 129 ]
	run "$DENDRO" diff --per rounds=1,2 --normalize time before1.data after1.data
	[ "$status" -eq 129 ]
	run "$DENDRO" diff --normalize faults before1.data after1.data
	[ "$status" -eq 2 ]
	[[ $output == *"no samples of the event 'faults'"* ]]
	run "$DENDRO" diff --sort self,faults before1.data after1.data
	[ "$status" -eq 2 ]
}

@test "the runs in a merged profile count as runs of their side" {
	"$DENDRO" merge -o sum-before.cct before?.data
	"$DENDRO" merge -o sum-after.cct after?.data
	"$DENDRO" diff --format json before?.data -- after?.data >theirs
	"$DENDRO" diff --format json sum-before.cct sum-after.cct >ours
	expect_equal runs "$(jq -c '[.runs[] | del(.file)]' ours)" \
		"$(jq -c '[.runs[] | del(.file)]' theirs)"
	cmp <(jq 'del(.runs)' theirs) <(jq 'del(.runs)' ours)
}

@test "the trees of both sides are joined" {
	"$DENDRO" diff --view tree --format json before1.data after1.data >json
	# Each side has its whole cost, once.
	expect_equal sides "$(jq -c '[.rows[].self | [.before, .after]] | transpose | map(add | . > 0.9999 and
		. < 1.0001)' json)" "[true,true]"
	expect_equal "above 100 %" "$(jq '[.rows[].total | .before, .after | select(. > 1.0000001)] | length' json)" 0
	# A row's total is its own cost and that of the rows below it.
	jq -e '.rows as $rows | [range($rows | length) as $i | $rows[$i].total.after - $rows[$i].self.after -
		([$rows[] | select(.parent == $i) | .total.after] | add // 0) | fabs < 1e-6] | all' json
	# From 2/3 to 6/7 of main: within five errors.
	jq -e '[.rows[] | select(.name == "dispatch_2")] | max_by(.total.after).total |
		(.difference - (6/7 - 2/3)) / .error | fabs < 5' json
	"$DENDRO" diff --view tree before1.data after1.data >out
	grep -q '^ *[0-9.]*%  *[0-9.]*%  *[+].*dispatch_2 ' out
	"$DENDRO" diff --view tree --format csv before1.data after1.data | head -1 | grep -q '^depth,name,'
}

@test "the tree of a recording does not differ from itself" {
	"$DENDRO" diff --view tree --fail-above 0 before1.data before1.data >out
	grep -q '^No call path moved by more than chance' out
	expect_equal rows "$("$DENDRO" diff --view tree --significant --format csv before1.data before1.data |
		wc -l)" 1
	local width
	for width in 60 80 120 200; do
		COLUMNS=$width "$DENDRO" diff --view tree --min 0 before1.data after1.data >out
		expect_equal "lines too wide" "$(awk -v width=$width 'length > width' out | wc -l)" 0
	done
}

@test "a recording does not differ from itself in any view" {
	local view
	for view in functions lines modules processes threads cpus epochs tree callers callgraph syscalls \
		"paths --root main" "paths --root worker --direction up" "tree --kernel none" \
		"tree --cpu 0-999" "callers --time 20%-60%" "threads --normalize time"; do
		# shellcheck disable=SC2086
		"$DENDRO" diff --format json --view $view before1.data before1.data >json
		expect_equal "moved in $view" "$(jq '[.rows[] | .self, .total | select(.difference != 0 or
			.significant)] | length' json)" 0
		# shellcheck disable=SC2086
		"$DENDRO" diff --format json --view $view before1.data after1.data >json
		expect_equal "rows of $view above 100 %" "$(jq 'if .normalize == "time" then 0 else
			[.rows[].total | .before, .after | select(. > 1.0000001)] | length end' json)" 0
		# shellcheck disable=SC2086
		"$DENDRO" diff --format csv --view $view before1.data after1.data >theirs
		# shellcheck disable=SC2086
		"$DENDRO" diff --format csv --view $view before1.cct after1.cct | cmp theirs -
		# shellcheck disable=SC2086
		"$DENDRO" diff --view $view before1.data after1.data >/dev/null
	done
}

@test "views that cannot be compared say what to use" {
	run "$DENDRO" diff --view paths before1.data after1.data
	[ "$status" -eq 129 ]
	run "$DENDRO" diff --view paths --root nowhere before1.data after1.data
	[ "$status" -eq 2 ]
	[[ $output == *"no function 'nowhere'"* ]]
	run "$DENDRO" diff --view phases before1.data after1.data
	[ "$status" -eq 2 ]
	[[ $output == *"the recording has no phases"* ]]
}

# numbers_of VIEW : the trees of a report, as lines of tree, number and value
numbers_of() {
	"$DENDRO" report --view stats --format json "$1" |
		jq -c '.trees[] | .of as $of | to_entries[] | select(.value | type == "number") | [$of, .key, .value]'
}

@test "the statistics of both sides' trees are those of their reports" {
	local side file
	"$DENDRO" diff --view stats --format json before1.data after1.data >json
	for side in before after; do
		numbers_of ${side}1.data | sort >theirs
		jq -c --arg side $side '.trees[] | .of as $of | to_entries[] | select(.value | type == "object") |
			[$of, .key, .value[$side]]' json | sort | cmp theirs -
	done
	jq -e 'all(.trees[] | .[] | objects; (.difference - .after + .before | fabs) < 1e-6 and .error == null)' json
	"$DENDRO" diff --view stats --format json before1.cct after1.cct |
		jq '.runs[].file |= sub("cct"; "data")' | cmp - <(jq . json)
	"$DENDRO" diff --view stats --format csv before1.data after1.data | tr -d '\r' |
		awk -F, 'NR == 1 { print $3, $6 } $2 == "nodes" { print $1, $5 - ($4 - $3) }' >csv
	expect_equal CSV "$(cat csv)" $'before relative\nfunctions 0\ncall sites 0'
}

@test "of several runs, statistics of trees are means with errors" {
	"$DENDRO" diff --view stats --format json before1.data after1.data -- before1.data before1.data >json
	jq -e 'all(.trees[] | .[] | objects; .error != null)' json
	for file in before1.data after1.data; do
		numbers_of $file | jq -r 'select(.[1] == "nodes" and .[0] == "functions")[2]'
	done | awk '{ sum += $1 } END { print sum / 2 }' >mean
	expect_equal mean "$(jq '.trees[0].nodes.before' json)" "$(cat mean)"
	COLUMNS=80 "$DENDRO" diff --view stats before1.data after1.data | tee text
	! grep -q '.\{81\}' text
	refuses "--view stats counts nodes" -- "$DENDRO" diff --view stats --sort self before1.data after1.data
	refuses "--view stats counts nodes" -- "$DENDRO" diff --view stats --fail-above 5 before1.data after1.data
}

@test "--normalize time divides by the time that --time selects" {
	local part whole
	"$DENDRO" diff --format json --normalize time --time 25%-75% before1.data after1.data >part
	"$DENDRO" diff --format json --normalize time before1.data after1.data >whole
	jq -e -s '.[0].runs[0].duration_ns / .[1].runs[0].duration_ns | . > 0.499 and . < 0.501' \
		part whole
	jq -e '.runs[0] | .amount * 1e9 / .duration_ns | . > 0.999 and . < 1.001' part
	"$DENDRO" diff --format json --normalize time --time 25%-75% before1.cct after1.cct |
		jq '.runs[].file |= sub("cct"; "data")' | cmp - <(jq . part)
}

@test "paths are selected before they are compared" {
	local view
	"$DENDRO" diff --view tree --format json --focus '^dispatch_2$' before1.data after1.data >json
	expect_equal others "$(jq '[.rows[] | select(.name == "dispatch_1")] | length' json)" 0
	# The rest is a part of the whole still.
	jq -e '[.rows[].self.after] | add | . > 0.5 and . < 0.99' json
	for view in functions tree callers; do
		"$DENDRO" diff --view $view --format csv --focus '^dispatch_2$' --caller-depth 2 \
			--hide '^worker$' before1.data after1.data >theirs
		grep -q dispatch_2 theirs
		! grep -q worker theirs
		"$DENDRO" diff --view $view --format csv --focus '^dispatch_2$' --caller-depth 2 \
			--hide '^worker$' before1.cct after1.cct | cmp theirs -
	done
	"$DENDRO" merge -o selected-before.cct before?.data
	"$DENDRO" merge -o selected-after.cct after?.data
	"$DENDRO" diff --format csv --through 'dispatch_2,worker' before?.data -- after?.data >theirs
	"$DENDRO" diff --format csv --through 'dispatch_2,worker' selected-before.cct \
		selected-after.cct | cmp theirs -
}

@test "a program that was replaced since it was recorded is named, and a profile keeps its names" {
	mkdir "$BATS_TEST_TMPDIR/replaced"
	cd "$BATS_TEST_TMPDIR/replaced"
	cp "$BATS_FILE_TMPDIR/before/dispatch" dispatch
	record recording.data -- ./dispatch 0.1
	"$DENDRO" build -o profile.cct recording.data
	"$DENDRO" diff recording.data profile.cct 2>notes
	expect_equal notes "$(cat notes)" ""
	cp -f "$BATS_FILE_TMPDIR/after/dispatch" dispatch
	"$DENDRO" diff --sort total recording.data profile.cct >out 2>notes
	cat out notes
	expect_equal notes "$(wc -l <notes)" 1
	grep -F "recording.data: dispatch was replaced since it was recorded" notes
	grep -F "A profile keeps them" notes
	grep -E ' new .* dispatch_2 ' out
}
