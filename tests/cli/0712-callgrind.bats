# Exports for Callgrind's readers have the costs of the report, as callgrind_annotate prints them and
# KCachegrind shows them.

load lib
load exported

setup_file() {
	load lib
	load exported
	prepare make_exports
}

make_exports() {
	need callgrind_annotate
	make_exported
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# annotate NAME EVENT : callgrind_annotate, which ends with 0 whatever it reads, prints NAME.self and
# NAME.total of NAME.callgrind without a word of complaint
annotate() {
	local options=(--auto=no --threshold=100 --show-percs=no "--show=${2//-/_}" "--sort=${2//-/_}")
	callgrind_annotate "${options[@]}" "$1.callgrind" >"$1.self" 2>complaints
	callgrind_annotate "${options[@]}" --inclusive=yes "$1.callgrind" >"$1.total" 2>>complaints
	expect_equal complaints "$(<complaints)" ""
	! grep -E 'malformed|uninitialized' "$1.self" "$1.total"
}

# has_lines RECORDING FILE [OPTION...] : the self costs of lines are those of the report
has_lines() {
	local recording=$1 file=$2
	shift 2
	"$ROOT/tests/oracle/callgrind_lines.py" "$file" cpu_clock >lines.exported
	report_json "$recording" --view lines -e cpu-clock "$@" |
		jq -r '.rows[] | select(.self[0] > 0 and .line) | [.file, .line, .self[0]] | @tsv' |
		sort >lines.reported
	[ -s lines.reported ]
	cmp lines.exported lines.reported
}

@test "all events have the report's cost of each function, in recursion, inlined and in the kernel" {
	local event
	"$DENDRO" export -f callgrind -o all.callgrind exported.data
	for event in $(events_of exported.json); do
		annotate all "$event"
		expect_costs "$event" callgrind all
	done
}

@test "KCachegrind shows the report's self and inclusive cost of each function" {
	need kcachegrind xvfb-run dbus-run-session
	/usr/bin/python3 -c 'import gi; gi.require_version("Atspi", "2.0")' 2>/dev/null ||
		skip "what reads its window for screen readers is not installed (gir1.2-atspi-2.0, python3-gi)"
	"$DENDRO" export -f callgrind -o seen.callgrind exported.data
	"$ROOT/tests/cli/clients/see_kcachegrind" seen.callgrind >seen.json
	expect_costs cpu-clock seen-kcachegrind seen.json
}

@test "chosen samples have the costs of the report with the same options" {
	local options
	for options in "--focus touch_pages" "--time -50%" "--caller-depth 3" "--comm exported"; do
		# shellcheck disable=SC2086
		report_json exported.data --view functions $options >exported.json.chosen
		# shellcheck disable=SC2086
		"$DENDRO" export -f callgrind $options -o chosen.callgrind exported.data
		annotate chosen cpu-clock
		"$ROOT/tests/oracle/exported_costs.py" cpu-clock exported.json.chosen callgrind chosen
	done
}

@test "without inlined functions, their cost is that of the lines that call them" {
	report_json exported.data --view functions --no-inline >whole.json
	"$DENDRO" export -f callgrind --no-inline -o whole.callgrind exported.data
	annotate whole cpu-clock
	"$ROOT/tests/oracle/exported_costs.py" cpu-clock whole.json callgrind whole
	has_lines exported.data whole.callgrind --no-inline
	"$DENDRO" export -f callgrind -o inlined.callgrind exported.data
	grep -q 'cfn=.* inlined_leaf$' inlined.callgrind
	! grep -q inlined_leaf whole.callgrind
}

@test "lines of a function that are in another file follow the name of that file" {
	printf '%s\n' '#include "tests/workloads/work.h"' 'FUNCTION void parse(unsigned n)' '{ units(n);' \
		'#line 70 "a_grammar.y"' 'units(n); }' '#line 90 "parser.c"' 'int main(int c, char **v) {
		struct rounds r = rounds_begin(c, v);
		for (unsigned n; (n = rounds_next(&r));) parse(n); }' >parser.c
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I "$ROOT" -o parser parser.c
	record parser.data -- ./parser 0.3
	report_json parser.data --view functions >parser.json
	"$DENDRO" export -f callgrind -o parser.callgrind parser.data
	grep -q '^fi=(.*a_grammar\.y$' parser.callgrind
	grep -q '^fe=(' parser.callgrind
	annotate parser cpu-clock
	"$ROOT/tests/oracle/exported_costs.py" cpu-clock parser.json callgrind parser
	"$DENDRO" export -f callgrind --no-inline -o parser.callgrind parser.data
	has_lines parser.data parser.callgrind --no-inline
}

@test "the cost of a line is that of the report's lines" {
	"$DENDRO" export -f callgrind -o lines.callgrind exported.data
	has_lines exported.data lines.callgrind
}

@test "a profile is exported like its recording" {
	"$DENDRO" export -f callgrind --by process exported.data | "$ROOT/tests/oracle/callgrind_lines.py" \
		/dev/stdin cpu_clock --calls >recording
	"$DENDRO" export -f callgrind --by process exported.cct | "$ROOT/tests/oracle/callgrind_lines.py" \
		/dev/stdin cpu_clock --calls >profile
	[ -s recording ]
	cmp recording profile
}
