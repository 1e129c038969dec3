# dendro report --view callgraph: gprof's layout with measured costs.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need python3
	cd "$BATS_FILE_TMPDIR"
	record recursion.data -- "$WORKLOADS/recursion" 0.5
	record descents.data -- "$WORKLOADS/descents" 0.5 300 apart
	record figure1.data -- "$WORKLOADS/figure1" 0.5
	# In a PATH, python3 may be a script that starts it.
	local python
	python=$(python3 -c 'import sys; print(sys.executable)')
	record json_re.data -- "$python" "$ROOT/tests/workloads/json_re.py" 0.5
	# Python's parser is a recursive descent.
	record parser.data -- "$python" -c 'import ast, inspect
text = inspect.getsource(inspect)
for i in range(8): ast.parse(text)'
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

graph() { # graph FILE [OPTION...]
	report_json "$@" --view callgraph
}

# The costs of an arc: cost_on FILE FUNCTION KIND OTHER : "SELF TOTAL"
cost_on() {
	jq -r --arg name "$2" --arg kind "$3" --arg other "$4" '.rows as $rows | $rows[]
		| select(.name == $name) | .[$kind][] | select($rows[.row // infinite].name == $other)
		| "\(.self[0]) \(.total[0])"' "$1"
}

cost_of() { # cost_of FILE FUNCTION : "SELF TOTAL"
	jq -r --arg name "$2" '.rows[] | select(.name == $name) | "\(.self[0]) \(.total[0])"' "$1"
}

@test "real recordings have the call graphs that an independent program computes from their paths" {
	local name
	for name in recursion descents json_re parser; do
		graph $name.data --no-inline >$name.graph
		"$DENDRO" script $name.data |
			python3 "$ROOT/tests/oracle/call_graph.py" $name.graph
		jq -e '.rows | length > 5' $name.graph
	done
}

@test "a stored profile has the call graph of its recording" {
	local name options
	for name in json_re parser; do
		"$DENDRO" build -o $name.cct $name.data
		for options in "--format json" "--format csv" "--format json --cpu 0" "--format json --cpu 1-99"; do
			# shellcheck disable=SC2086
			"$DENDRO" report --view callgraph $options $name.data >recording
			# shellcheck disable=SC2086
			"$DENDRO" report --view callgraph $options $name.cct >stored
			cmp recording stored
		done
	done
}

@test "functions have the costs that the table of functions has" {
	local name costs='[.rows[] | [.name, .module, .kind, .self, .total]] | sort'
	for name in recursion json_re; do
		report_json $name.data --view functions | jq -c "$costs" >expected
		graph $name.data | jq -c "$costs" >graph
		cmp expected graph
	done
}

@test "a cost that depends on the caller belongs to that caller" {
	graph recursion.data --kernel none >graph # an interrupt may come anywhere
	local self total
	read -r self total < <(cost_of graph plain)
	expect_equal "plain calls nothing but the work" $((total - self)) \
		"$(cost_on graph plain callees deepest_work | cut -d' ' -f2)"
	expect_equal "what plain caused" "$(cost_on graph deepest_work callers plain)" \
		"$(cost_on graph plain callees deepest_work)"
	expect_equal "callers of the work" "$(jq -r '.rows as $rows | [.rows[]
		| select(.name == "deepest_work").callers[] | $rows[.row].name] | sort | join(" ")' graph)" \
		"odd plain recurse"
}

@test "direct recursion has no arc, and mutual recursion is a cycle" {
	graph recursion.data >graph
	expect_equal "recurse calls itself" "$(cost_on graph recurse callees recurse)" ""
	expect_equal "the caller of recurse" "$(cost_on graph recurse callers main)" \
		"$(cost_of graph recurse)"
	expect_equal "cycles of the program" "$(jq -r '.rows as $rows | .cycles[]
		| [.rows[] | $rows[.].name] | select(index("even")) | sort | join(" ")' graph)" "even odd"
	expect_equal "the cost of the cycle" "$(jq -r '.rows as $rows | .cycles[]
		| select([.rows[] | $rows[.].name] | index("even")).total[0]' graph)" \
		"$(cost_of graph even | cut -d' ' -f2)"
}

@test "text marks the arcs that differ and explains why, and only then" {
	"$DENDRO" report --view callgraph --no-inline recursion.data >text
	grep -E 'even \[[0-9]+\] \*' text
	grep -F 'Mutual recursion' text
	grep -E 'cycles of calls that occurred' text
	grep -E 'even \[([0-9]+)\] -> odd \[[0-9]+\] -> even \[\1\]|odd \[([0-9]+)\] -> even \[[0-9]+\] -> odd \[\2\]' text
	"$DENDRO" report --view callgraph --no-inline --kernel none figure1.data >text
	grep -F '[no caller]' text
	! grep -F 'recursion:' text
	! grep -F 'cycles' text
}

@test "no line of text is wider than 80 or 120 columns" {
	local columns
	for columns in 80 120; do
		COLUMNS=$columns "$DENDRO" report --view callgraph json_re.data |
			sed -n '/^index/,/^Whole/p' >text
		expect_equal "wider lines" "$(awk -v width=$columns 'length > width' text)" ""
	done
}

@test "CSV has a row for each function, and below it its arcs" {
	"$DENDRO" report --view callgraph --format csv recursion.data | tr -d '\r' >csv
	head -n 1 csv | grep -F 'depth,name,module,kind,id,arc,entry,'
	graph recursion.data >graph
	expect_equal functions "$(grep -c '^1,' csv)" "$(jq '.rows | length' graph)"
	expect_equal arcs "$(grep -c '^2,' csv)" \
		"$(jq '[.rows[] | (.callers + .callees)[]] | length' graph)"
	expect_equal "the arc to recurse" \
		"$(awk -F, '$1 == 1 { function_ = $2 } $1 == 2 && function_ == "\"main\"" &&
			$2 == "\"recurse\"" { print $6, $8, $9 }' csv)" \
		"callee $(cost_on graph main callees recurse)"
}
