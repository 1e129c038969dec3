# dendro report: views, filters, formats.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record dispatch.data -- "$WORKLOADS/dispatch" 1
	record recursion.data -- "$WORKLOADS/recursion" 1
	record two.data -e task-clock -- sh -c "'$WORKLOADS/dispatch' 0.5; '$WORKLOADS/figure1' 0.5"
	report_json dispatch.data >dispatch.tree
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "JSON has the fields that docs/FORMAT.md describes" {
	jq -e '(.metrics | type == "array" and length == 1) and
		(.metrics[0] | has("event") and has("unit") and has("samples") and has("total")) and
		(.quality | has("samples") and has("lost") and has("throttled") and
			(.unwind | type == "object")) and
		(.frames[0].kind == "root") and (.nodes[0][:2] == [-1, 0]) and
		(.frames | all(has("name") and has("module") and has("kind"))) and
		(.nodes | length > 2 and all((.[2] | length == 1) and (.[3] | length == 1)))' \
		dispatch.tree
	expect_equal kinds "$(jq -r '[.frames[].kind] | unique
		- ["root", "process", "thread", "user", "inline", "kernel", "marker"] | length' dispatch.tree)" 0
	local view
	for view in functions modules processes; do
		report_json dispatch.data --view $view | jq -e '(.rows | length > 0) and
			(.rows | all(has("name") and has("module") and has("kind") and
				(.self | length == 1) and (.total | length == 1)))'
	done
}

@test "a node's total is its self and its children's totals" {
	expect_equal "sums that are wrong" "$(ask dispatch.tree '[tree | .. | objects | select(has("self"))
		| select(.total[0] != .self[0] + ([.children[].total[0]] | add // 0))] | length')" 0
}

# 5000 levels: more than jq 1.6 (256) and Python's json (1000) read where objects are nested.
@test "a recursion 5000 deep is read by jq and Python, which rebuild the tree" {
	need python3
	local levels=5000
	record deep.data --deep-stacks -- "$WORKLOADS/deep" 0.3 bottom $levels
	if "$DENDRO" report deep.data | grep -q 'debug registers do nothing in this virtual machine'; then
		levels=1200 # which a sample's copy of the stack contains, of small frames
		sed 's/FRAME_SIZE 1000/FRAME_SIZE 8/' "$ROOT/tests/workloads/deep.c" >small_frames.c
		cc -O2 -I"$ROOT/tests/workloads" -o small_frames small_frames.c
		record deep.data -- ./small_frames 0.3 bottom $levels
	fi
	report_json deep.data >deep.tree
	expect_equal metrics "$(jq '.metrics | length' deep.tree)" 1
	expect_equal "own costs" "$(jq '[.nodes[][2][0]] | add' deep.tree)" \
		"$(jq '.metrics[0].total' deep.tree)"
	expect_equal "nodes before their parents" \
		"$(jq '[.nodes | to_entries[] | select(.value[0] >= .key)] | length' deep.tree)" 0
	expect_equal "the deepest recursion" "$(python3 - deep.tree <<-'PY'
		import json, sys
		report = json.load(open(sys.argv[1], encoding="utf-8"))
		nodes, levels = report["nodes"], []
		below = [own[0] for _, _, own, *_ in nodes]
		for parent, frame, *_ in nodes:
		    above = levels[parent] if parent >= 0 else 0
		    levels.append(above + (report["frames"][frame]["name"] == "descend"))
		for index in range(len(nodes) - 1, 0, -1):
		    below[nodes[index][0]] += below[index]
		assert nodes[0][0] == -1 and all(node[0] >= 0 for node in nodes[1:])
		assert below == [node[3][0] for node in nodes]
		print(max(levels))
	PY
	)" $levels
}

@test "jq and Python list the paths of a report as docs/FORMAT.md shows" {
	need python3
	example() { # example FIRST-LINE : up to the end of the block that it begins
		awk -v first="$1" 'index($0, first) == 1 { inside = 1 } /^```/ { inside = 0 } inside' \
			"$ROOT/docs/FORMAT.md"
	}
	cp dispatch.tree report.json
	(eval "$(example "jq -r '.frames as") report.json") >by_jq
	(echo "import json"; example "report, paths = ") | python3 - >by_python
	cmp by_jq by_python
	grep -qE "^all;dispatch;.*main;dispatch_1;worker.* [0-9]+$" by_jq
	expect_equal costs "$(awk '{ sum += $NF } END { printf "%.0f\n", sum }' by_jq)" \
		"$(jq '.metrics[0].total' dispatch.tree)"
	(eval "$(example "jq '.frames as") report.json") | jq -e '.nodes[0] |
		.parent == -1 and .name == "all" and .kind == "root" and .self == [0] and has("total")'
}

@test "JSON begins with its schema, and what was recorded when and where" {
	jq -e '.schema == 2 and (.dendro | test("^[0-9.]+$")) and .recorder == "dendro \(.dendro)" and
		(.command | test("^dendro record .*-o dispatch.data .*-- .*/dispatch 1$"))' dispatch.tree
	expect_equal keys "$(jq -rc 'keys_unsorted' dispatch.tree)" '["schema","dendro","recorder",'$(
		)'"command","machine","times","stack_copy_bytes","metrics","quality","missing","frames","nodes"]'
	expect_equal machine "$(jq -r '.machine | "\(.hostname) \(.kernel) \(.arch) \(.cpus)"' dispatch.tree)" \
		"$(uname -n) $(uname -r) $(uname -m) $(getconf _NPROCESSORS_ONLN)"
	[ "$(jq '.times.duration_ns' dispatch.tree)" -ge 900000000 ]
	local start written
	jq -r .times.start dispatch.tree | grep -xE '[0-9]{4}-[0-9]{2}-[0-9]{2}T([0-9]{2}:){2}[0-9]{2}\.[0-9]{9}Z'
	start=$(date -d "$(jq -r .times.start dispatch.tree)" +%s%N)
	written=$(date -r dispatch.data +%s%N)
	# The kernel takes times of files from a clock that lags by some milliseconds.
	[ $((start + $(jq .times.duration_ns dispatch.tree))) -le $((written + 1000000000)) ]
	[ "$start" -gt $((written - 300000000000)) ]
}

@test "JSON has one line for each frame and each node" {
	expect_equal frames "$(grep -c '^{"name":' dispatch.tree)" "$(jq '.frames | length' dispatch.tree)"
	expect_equal nodes "$(grep -c '^\[-*[0-9]' dispatch.tree)" "$(jq '.nodes | length' dispatch.tree)"
}

@test "each frame is in the order of the nodes that refer to it" {
	expect_equal "first uses" "$(jq -c '[.nodes[][1]] | reduce .[] as $frame (0;
		if $frame == . then . + 1 elif $frame > . then error("skipped") else . end)' dispatch.tree)" \
		"$(jq '.frames | length' dispatch.tree)"
}

@test "the root's total is the recording's total, in every view" {
	local total
	total=$(jq '.metrics[0].total' dispatch.tree)
	expect_equal tree "$(jq '.nodes[0][3][0]' dispatch.tree)" "$total"
	expect_equal callers "$(report_json dispatch.data --view callers | jq '.nodes[0][3][0]')" "$total"
	local view
	for view in functions modules processes; do
		expect_equal "self of all $view" \
			"$(report_json dispatch.data --view $view | jq '[.rows[].self[0]] | add')" "$total"
	done
}

@test "callers: the worker's callers are listed below it with their shares" {
	report_json dispatch.data --view callers >callers
	ask callers '[tree.children[] | select(.name == "worker") | .children[].name] | sort | join(" ")'
	expect_equal "below worker" "$(ask callers '[tree.children[] | select(.name == "worker")
		| .children[] | .name] | sort | join(" ")')" "dispatch_1 dispatch_2"
	local one two
	one=$(ask callers '[tree.children[] | select(.name == "worker") | .children[]
		| select(.name == "dispatch_1") | .total[0]] | add / 1000000 | floor')
	two=$(ask callers '[tree.children[] | select(.name == "worker") | .children[]
		| select(.name == "dispatch_2") | .total[0]] | add / 1000000 | floor')
	expect_share dispatch_1 "$one" $((one + two)) 1 3
}

@test "functions: recursion counts once" {
	report_json recursion.data --view functions |
		jq -e '.metrics[0].total as $all | .rows | all(.total[0] <= $all and .self[0] <= .total[0])'
}

@test "modules and processes name the program" {
	report_json dispatch.data --view modules | jq -e '.rows | any(.name == "dispatch")'
	report_json two.data --view processes | jq -e '.rows | map(.name) |
		contains(["dispatch"]) and contains(["figure1"])'
}

@test "--comm and --pid restrict to a process" {
	report_json two.data --comm figure1 --view functions >one
	jq -e '.rows | any(.name == "d") and (any(.name == "dispatch_1") | not)' one
	local pid
	pid=$("$DENDRO" script two.data | awk '$1 == "figure1" { print $2; exit }')
	report_json two.data --pid "${pid%%/*}" --view functions >two
	jq -e '.rows | any(.name == "d") and (any(.name == "dispatch_1") | not)' two
}

@test "--cpu splits the samples over the processors" {
	local all sum=0 cpu n
	all=$(jq '.metrics[0].samples' dispatch.tree)
	for ((cpu = 0; cpu < $(nproc --all); cpu++)); do
		n=$(report_json dispatch.data --cpu $cpu | jq '.metrics[0].samples')
		sum=$((sum + n))
	done
	expect_equal "sum over the processors" "$sum" "$all"
}

@test "--event picks one of several events" {
	record events.data -e task-clock,page-faults -- "$WORKLOADS/dispatch" 0.3
	report_json events.data >both
	expect_equal events "$(jq '.metrics | length' both)" 2
	report_json events.data --event page-faults >one
	expect_equal samples "$(jq -c '[.metrics[] | select(.samples > 0) | .event]' one)" '["page-faults"]'
	expect_equal total "$(jq '.nodes[0][3] | add' one)" \
		"$(jq '.metrics[] | select(.event == "page-faults") | .total' both)"
}

@test "text: a header with the quality, then a tree whose lines fit" {
	COLUMNS=80 "$DENDRO" report dispatch.data >text
	cat text
	grep -q samples text
	grep -q lost text
	grep -q throttled text
	grep -q complete text
	grep -q dispatch_2 text
	expect_equal "lines over 80 columns" "$(awk 'length($0) > 80' text | grep -vc '^#')" 0
}

@test "text: colour appears only on a terminal, and not with NO_COLOR" {
	"$DENDRO" report dispatch.data >text
	lacks $'\033' text
	need_terminal
	NO_COLOR=1 PAGER=cat script -qec "'$DENDRO' report dispatch.data" typescript >/dev/null </dev/null
	lacks $'\033\[[0-9;]*m' typescript
	PAGER=cat script -qec "'$DENDRO' report dispatch.data" typescript >/dev/null </dev/null
	grep -q $'\033\[[0-9;]*m' typescript
}

@test "filters take globs, in report, script and annotate" {
	report_json dispatch.data --comm 'dis*' >json
	[ "$(jq '.quality.samples' json)" -gt 50 ]
	[ "$("$DENDRO" script --comm 'dis*' --event '*clock*' dispatch.data | grep -c '^dispatch')" -gt 50 ]
	"$DENDRO" annotate --comm '*patch' main dispatch.data >text
}

@test "a filter that no sample passes is named, with near names" {
	for command in "report --view functions" script; do
		# shellcheck disable=SC2086
		"$DENDRO" $command --comm dispatsh dispatch.data >out 2>err
		grep -q "no sample is of a command 'dispatsh'; did you mean dispatch?" err
		# shellcheck disable=SC2086
		"$DENDRO" $command --comm dispatch --pid 4194303 dispatch.data >out 2>err
		grep -q 'no sample passes --pid\.' err
	done
	"$DENDRO" script --cpu 4095 - <dispatch.data 2>err
	grep -q 'no sample passes all filters\.' err
}

@test "text: output is paged through PAGER on a terminal only" {
	need_terminal
	PAGER="sed s/^/paged:/" script -qec "'$DENDRO' report dispatch.data" typescript >/dev/null </dev/null
	grep -q '^paged:' typescript
	PAGER="sed s/^/paged:/" "$DENDRO" report dispatch.data >text
	lacks '^paged:' text
}

@test "text: a pager that cannot be run is named, and the output is plain" {
	need_terminal
	touch not_executable
	for pager in nosuchpager "nosuchpager -x 2" ./not_executable; do
		PAGER=$pager script -qec "'$DENDRO' report dispatch.data" typescript >/dev/null </dev/null
		grep -q "${pager%% *}" typescript
		grep -q "call paths" typescript
		grep -q main typescript
	done
}

@test "text: above the tree are the functions with most self cost, as in the table of functions" {
	"$DENDRO" report dispatch.data | sed -n '/hottest functions/,/^$/p' >hottest
	cat hottest
	"$DENDRO" report --view functions dispatch.data | sed -n '/ function /,/^$/p' >functions
	expect_equal "the hottest" "$(awk 'NR == 2 { print $1, $4, $5 }' hottest)" \
		"$(awk 'NR == 2 { print $2, $4, $5 }' functions)"
}

@test "--min leaves out functions with a smaller share" {
	"$DENDRO" report --min 50 dispatch.data >text
	grep -q dispatch_2 text
	lacks dispatch_1 text
}

@test "--depth cuts the tree" {
	# Without samples of the program's start, which has other callers.
	"$DENDRO" report --depth 2 --focus worker dispatch.data | sed '1,/ call path /d' >text
	grep -q main text
	lacks worker text
}

@test "--kernel only shows no user frames" {
	report_json dispatch.data --kernel only >only
	expect_equal "user frames" "$(jq '[.frames[] | select(.kind == "user")] | length' only)" 0
}

@test "--sort name sorts by name" {
	report_json dispatch.data --view functions --sort name | jq -e '[.rows[].name] | . == sort'
	report_json dispatch.data --view functions --sort self |
		jq -e '[.rows[].self[0]] | . == (sort | reverse)'
	report_json dispatch.data --view functions --sort total |
		jq -e '[.rows[].total[0]] | . == (sort | reverse)'
}

@test "CSV has a header and one line per row" {
	"$DENDRO" report --view functions --format csv dispatch.data >rows.csv
	head -1 rows.csv | grep -q name
	expect_equal rows "$(python3 -c 'import csv
print(sum(row["kind"] != "root" for row in csv.DictReader(open("rows.csv"))))')" \
		"$(report_json dispatch.data --view functions | jq '.rows | length')"
}

@test "without a file, dendro.data is read" {
	cp dispatch.data dendro.data
	"$DENDRO" report >text
	grep -q dispatch_2 text
}

@test "error messages name a remedy, and the exit status is not 0" {
	refuses no-such-file.data -- "$DENDRO" report no-such-file.data
	refuses nonsense functions -- "$DENDRO" report --view nonsense dispatch.data
	refuses nonsense json -- "$DENDRO" report --format nonsense dispatch.data
	refuses nonsense -- "$DENDRO" report --event nonsense dispatch.data
	refuses no-such-option -- "$DENDRO" report --no-such-option
	refuses "did you mean '--color'" -- "$DENDRO" report --colour never
	refuses "other.data: No such file" -- "$DENDRO" report dispatch.data other.data
	refuses "'other.data'" -- "$DENDRO" script dispatch.data other.data
	refuses nonsense --help -- "$DENDRO" nonsense
	refuses "did you mean 'report'" -- "$DENDRO" reprot
	refuses "did you mean 'report'" -- "$DENDRO" help reprot
}

@test "help and version are printed on standard output" {
	"$DENDRO" --version | grep -q dendro
	cmp <("$DENDRO" version) <("$DENDRO" --version)
	"$DENDRO" --help | grep -q record
	cmp <("$DENDRO" help) <("$DENDRO" --help)
	cmp <("$DENDRO" help report) <("$DENDRO" report --help)
	"$DENDRO" report --help | grep -q -- --view
	"$DENDRO" record --help | grep -q -- --stack-size
}

@test "no error is printed when a reader closes the pipe early" {
	"$DENDRO" script dispatch.data 2>errors | head -1
	expect_equal complaints "$(cat errors)" ""
}

@test "the header and JSON tell how much of each stack was copied" {
	local size
	for size in 8192 16384 0; do
		record "$size.data" --stack-size $size -- "$WORKLOADS/dispatch" 0.1
	done
	"$DENDRO" report 8192.data | grep "^ *8.0 KiB of each stack copied at most$"
	"$DENDRO" report 16384.data | grep "^ *16 KiB of each stack copied at most$"
	! "$DENDRO" report 0.data | grep "stack copied"
	expect_equal "sizes" "$(for size in 8192 16384 0; do
		report_json $size.data | jq .stack_copy_bytes
	done | paste -sd ' ')" "8192 16384 null"
}

@test "branches are drawn where the locale has UTF-8, installed or not" {
	record reader.data -- "$WORKLOADS/reader" 0.5
	local locale
	for locale in C.UTF-8 xx_XX.UTF-8 en_US.utf8; do
		LC_ALL=$locale "$DENDRO" report --color never reader.data | grep -q '├ reader_2'
	done
	LC_ALL=C "$DENDRO" report --color never reader.data >text
	grep -q '|-reader_2 ' text
	lacks -P '[^\x00-\x7f]' text
}

@test "a header has the words for one sample" {
	need_events
	need taskset
	# On one CPU, because each counts its own events. One sample in three quarters of them.
	local n cpu
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	taskset -c "$cpu" "$DENDRO" record -q -c 1 -e page-faults -o faults.data -- true
	n=$(report_json faults.data | jq '.metrics[0].samples')
	taskset -c "$cpu" "$DENDRO" record -q -c $((n * 3 / 4)) -e page-faults -o fault.data -- true
	expect_equal samples "$(report_json fault.data | jq '.metrics[0].samples')" 1
	"$DENDRO" report fault.data >text
	grep -q '^events  *1 sample of page-faults  ' text
	grep -q '^samples  *1 received, 0 lost; throttled 0 times$' text
	"$DENDRO" report faults.data >text
	grep -q "^events  *$n samples of page-faults  " text
	"$DENDRO" diff faults.data fault.data | grep -q ': 1 sample$'
}
