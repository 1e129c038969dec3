# A recording that dendro export writes for perf has the costs of the report, by perf and others.

load lib
load exported

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record one.data -- "$WORKLOADS/recursion" 1
	"$DENDRO" record -q -e '{cpu-clock,page-faults}:S' -o two.data -- "$WORKLOADS/faulter" 1
	record many.data -- sh -c "'$WORKLOADS/dispatch' 0.3; '$WORKLOADS/threads' 0.3"
	local name
	for name in one two many; do
		"$DENDRO" export --format perf.data -o $name.perf $name.data
		report_json $name.data --view functions --no-inline >$name.json
	done
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# has_reported_costs NAME EVENT : perf finds the costs of NAME.json in NAME.perf
has_reported_costs() {
	need perf python3
	perf script --max-stack 1000 --no-inline -F event,period,ip,sym -i "$1.perf" >"$1.script" 2>errors
	expect_equal "complaints" "$(cat errors)" ""
	"$ROOT/tests/oracle/perf_costs.py" "$2" "$1.json" "$1.script"
}

samples() { # samples NAME EVENT_INDEX
	jq ".metrics[$2].samples" "$1.json"
}

@test "perf has the report's cost of each function, in recursion and in the kernel" {
	has_reported_costs one cpu-clock
	grep -q ' deepest_work$' one.script
	has_reported_costs many cpu-clock
	grep -q ' dispatch_1$' many.script
}

@test "perf has the costs and the number of samples of each event" {
	need perf
	has_reported_costs two cpu-clock
	has_reported_costs two page-faults
	perf script -F event -G -i two.perf 2>/dev/null | sort | uniq -c >counted
	expect_equal cpu-clock "$(awk '$2 ~ /^cpu-clock/ { print $1 }' counted)" "$(samples two 0)"
	expect_equal page-faults "$(awk '$2 ~ /^page-faults/ { print $1 }' counted)" "$(samples two 1)"
}

@test "perf has the costs of all events of the recording that every format is given" {
	need perf python3
	make_exported
	"$DENDRO" export --format perf.data -o exported.perf exported.data
	report_json exported.data --view functions --no-inline >exported.json
	local event
	for event in $(events_of exported.json); do
		has_reported_costs exported "$event"
	done
	grep -aq 'h"\\;<b>' exported.script
}

@test "perf report has the shares of the report" {
	need perf
	perf report --stdio --no-children --no-inline -g none --max-stack 1000 -i one.perf >report 2>errors
	expect_equal complaints "$(cat errors)" ""
	expect_equal "share of deepest_work" "$(awk '$NF == "deepest_work" { print $1 }' report)" \
		"$(jq -r '.metrics[0].total as $all | .rows[] | select(.name == "deepest_work")
			| .self[0] / $all * 100' one.json | xargs printf '%.2f%%')"
}

@test "threads, times and CPUs are those of the recording" {
	need perf
	"$DENDRO" script many.data | sed -nE 's/^(.*[^ ]) +([0-9]+) +(\[[0-9]+\]) +([0-9.]+):.*/\1 \2 \3 \4/p' |
		sort >ours
	perf script -F comm,tid,cpu,time -G -i many.perf 2>/dev/null |
		sed -nE 's/^ *(.*[^ ]) +([0-9]+) +(\[[0-9]+\]) +([0-9.]+):.*/\1 \2 \3 \4/p' | sort >theirs
	[ "$(grep -c . ours)" -gt 100 ]
	expect_equal lines "$(grep -c . theirs)" "$(grep -c . ours)"
	expect_equal "different threads" "$(diff <(cut -d ' ' -f 1-3 ours | sort) \
		<(cut -d ' ' -f 1-3 theirs | sort))" ""
	expect_equal "different times" "$(paste <(sed 's/.* //' ours | sort) <(sed 's/.* //' theirs | sort) |
		awk '($1 - $2) ^ 2 > 4e-12')" ""
}

@test "modules have their build IDs, and the header what was recorded" {
	need perf readelf
	perf buildid-list -i one.perf >list
	grep -qx "$(readelf -n "$WORKLOADS/recursion" | awk '/Build ID/ { print $3 }') .*/recursion" list
	perf report --header-only -i one.perf >header
	grep -q "^# hostname : $(hostname)" header
	grep -q '^# cmdline : dendro record .*recursion 1' header
	grep -q ' size = 128,' header
}

@test "the reason why a path ends early, and why a thread waited, have their names" {
	need perf python3
	need_root
	"$DENDRO" record -q --off-cpu --stack-size 1024 -o off.data -- "$WORKLOADS/off_cpu" 0.3 ||
		skip "switches cannot be recorded here"
	"$DENDRO" export --format perf.data -o off.perf off.data
	report_json off.data --view functions --no-inline >off.json
	has_reported_costs off "$(jq -r '.metrics[0].event' off.json)"
	grep -qE ' \[(waiting|sleeping|blocked|preempted).*\]$' off.script
}

# Made-up addresses need not be the same in two exports.
cut_addresses() {
	sed 's/^\t *[0-9a-f]* /\t/' "$1"
}

@test "perf reads the same from a pipe" {
	need perf
	"$DENDRO" export -f perf.data one.data |
		perf script --no-inline -F event,period,ip,sym -i - >piped 2>errors
	grep -q ' deepest_work$' piped
	perf script --no-inline -F event,period,ip,sym -i one.perf >plain 2>/dev/null
	cmp <(cut_addresses piped) <(cut_addresses plain)
	"$DENDRO" export -f perf.data one.data >redirected
	perf script --no-inline -F event,period,ip,sym -i redirected >plain 2>/dev/null
	cmp <(cut_addresses piped) <(cut_addresses plain)
}

need_perfparser() { # the path in `parser`
	parser=$("$ROOT/tests/deps/perfparser") || skip "hotspot-perfparser is not here and can't be fetched"
}

# perfparser 1.3 gives kernel code the name of other code where it is at a function's first byte, so
# the kernel's functions are not compared.
@test "hotspot's perfparser has the whole cost, and that of each user function, in recursion, too" {
	local parser name event
	need_perfparser
	for name in one two many; do
		"$parser" --input $name.perf --output parsed >out 2>&1
		python3 "$ROOT/tests/oracle/perfparser_samples.py" --script parsed >$name.shown
		for event in $(jq -r '.metrics[].event' $name.json); do
			"$ROOT/tests/oracle/perf_costs.py" "$event" $name.json $name.shown user
		done
	done
	grep -q ' deepest_work$' one.shown
	grep -q ' dispatch_1$' many.shown
}

@test "hotspot's perfparser counts the same samples, and finds no overlap of files" {
	local parser
	need_perfparser
	"$parser" --input many.perf --output parsed >out 2>&1
	expect_equal samples "$(python3 "$ROOT/tests/oracle/perfparser_samples.py" parsed)" "$(samples many 0)"
	lacks overlap out
}

# What a named record describes is read back as code of the kernel, so files alone are compared.
costs_of_files() { # costs_of_files FUNCTIONS
	jq -S '[.metrics[].total, ([.rows[] | select(.kind == "user" and (.name | startswith("0x") | not))
		| {name, module, self, total}] | sort_by(.name, .module, .self))]' "$1"
}

@test "dendro reads it back with the same costs" {
	local name
	for name in one two many; do
		report_json $name.perf --view functions --no-inline >again.json
		diff <(costs_of_files $name.json) <(costs_of_files again.json)
	done
}

@test "a profile gives the same samples as the recording, and filters apply" {
	"$DENDRO" build -o many.cct many.data
	"$DENDRO" export --format perf.data -o stored.perf many.cct
	diff <("$DENDRO" script stored.perf | cut_addresses -) <("$DENDRO" script many.perf | cut_addresses -)
	report_json many.data --comm dispatch --focus '^worker$' --view functions --no-inline >focus.json
	"$DENDRO" export --format perf.data --comm dispatch --focus '^worker$' -o focus.perf many.data 2>note
	"$DENDRO" report --format json --view functions --no-inline focus.perf >again
	expect_equal worker "$(total_of again worker)" "$(total_of focus.json worker)"
	expect_equal total "$(jq '.metrics[0].total' again)" \
		"$(jq '[.rows[] | .self[0]] | add // 0' focus.json)"
}

@test "without the samples one by one, each path is a sample with the whole cost" {
	"$DENDRO" build --slices 1 -o sums.cct one.data
	"$DENDRO" export --format perf.data -o sums.perf sums.cct
	report_json sums.perf --view functions --no-inline >again.json
	diff <(costs_of_files one.json) <(costs_of_files again.json)
	[ "$(jq '.metrics[0].samples' again.json)" -lt "$(samples one 0)" ]
}
