# Exports for speedscope have the costs of the report, by the file's own numbers and as speedscope
# shows them.

load lib
load exported

setup_file() {
	load lib
	load exported
	prepare make_exports
}

make_exports() {
	make_exported
	"$DENDRO" export -f speedscope -o exported.speedscope.json exported.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "all events have the report's cost of each function, in recursion, inlined and in the kernel" {
	local event
	for event in $(events_of exported.json); do
		expect_costs "$event" speedscope exported.speedscope.json
	done
}

@test "the profiles of the threads add up to the whole" {
	expect_equal totals "$(jq -r '[.profiles[] | {event: (.name | sub(":.*"; "")), endValue,
		whole: (.name | contains(":") | not)}] | group_by(.event)[] |
		[([.[] | select(.whole) | .endValue] | add), ([.[] | select(.whole | not) | .endValue] | add)] |
		.[0] == .[1]' exported.speedscope.json | sort -u)" true
	"$DENDRO" export -f speedscope --by thread exported.data |
		jq -S '[.profiles[] | del(.samples)]' >threads
	jq -S '[.profiles[] | select(.name | contains(":")) | del(.samples)]' exported.speedscope.json >parts
	cmp threads parts
}

@test "profiles by process have the cost of their processes" {
	"$DENDRO" export -f speedscope --by process -e cpu-clock exported.data |
		jq -r '.profiles[] | [.endValue, (.weights | add)] | @tsv' | sort -n >profiles
	report_json exported.data --view processes --by process -e cpu-clock |
		jq -r '.rows[] | select(.total[0] > 0) | [.total[0], .total[0]] | @tsv' | sort -n >processes
	cmp profiles processes
}

@test "a profile is exported like its recording" {
	local options
	for options in "" "--by thread" "--focus direct" "--time 20%-60%" "--comm exported --hide units"; do
		# shellcheck disable=SC2086
		"$DENDRO" export -f speedscope $options exported.data 2>/dev/null |
			"$ROOT/tests/oracle/speedscope_stacks.py" >recording
		# shellcheck disable=SC2086
		"$DENDRO" export -f speedscope $options exported.cct 2>/dev/null |
			"$ROOT/tests/oracle/speedscope_stacks.py" >profile
		[ -s recording ]
		cmp recording profile
	done
}

@test "chosen samples have the costs of the report with the same options" {
	local options
	for options in "--ignore touch_pages" "--time -50%" "--caller-depth 3" "--no-inline"; do
		# shellcheck disable=SC2086
		report_json exported.data --view functions $options >chosen.json
		# shellcheck disable=SC2086
		"$DENDRO" export -f speedscope $options -o chosen.speedscope.json exported.data
		"$ROOT/tests/oracle/exported_costs.py" cpu-clock chosen.json speedscope chosen.speedscope.json
	done
}

@test "the file is valid by speedscope's schema" {
	need_npm ajv speedscope
	node "$ROOT/tests/cli/clients/check_schema.mjs" "$MODULES" \
		"$MODULES/speedscope/dist/release/file-format-schema.json" exported.speedscope.json
}

@test "speedscope shows the report's costs" {
	need_npm playwright-core speedscope
	need chromium
	node "$ROOT/tests/cli/clients/see_speedscope.mjs" "$MODULES" exported.speedscope.json >seen.json
	expect_equal messages "$(jq -c .messages seen.json)" "[]"
	expect_costs cpu-clock seen-speedscope seen.json
}
