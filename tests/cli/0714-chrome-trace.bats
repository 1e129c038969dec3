# Traces of Chrome's format have the costs of the report, by their own times and as speedscope shows
# them.

load lib
load exported

setup_file() {
	load lib
	load exported
	prepare make_exports
}

make_exports() {
	make_exported
	"$DENDRO" export -f chrome -o exported.trace.json exported.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "functions are as long as the report's costs, in recursion, inlined and in the kernel" {
	local event
	expect_costs cpu-clock chrome exported.trace.json
	for event in $(events_of exported.json); do
		[ "$event" != off-cpu ] || expect_costs "$event" chrome exported.trace.json
	done
}

@test "samples of events that count no time are instants with their weights" {
	expect_equal page-faults "$(jq '[.traceEvents[] | select(.ph == "i" and .name == "page-faults") |
		.args.weight] | add' exported.trace.json)" \
		"$(jq '.metrics[] | select(.event == "page-faults") | .total' exported.json)"
}

@test "samples of an event alone that counts no time all have the same length" {
	"$DENDRO" export -f chrome -e page-faults -o faults.json exported.data
	jq -e '[.traceEvents[] | select(.ph == "B")] | length > 0' faults.json
	jq -e '[.traceEvents[] | select(.ph == "i")] | length == 0' faults.json
}

@test "a profile is exported like its recording" {
	"$DENDRO" export -f chrome --time 10%-70% -o profile.json exported.cct
	report_json exported.data --view functions --time 10%-70% >part.json
	"$ROOT/tests/oracle/exported_costs.py" cpu-clock part.json chrome profile.json
}

@test "speedscope shows the costs of a thread" {
	local tid
	need_npm playwright-core speedscope
	need chromium
	tid=$(jq '[.traceEvents[] | select(.ph == "B") | .tid][0]' exported.trace.json)
	"$DENDRO" export -f chrome --tid "$tid" -e cpu-clock -o thread.trace.json exported.data
	report_json exported.data --tid "$tid" -e cpu-clock --view functions >thread.json
	node "$ROOT/tests/cli/clients/see_speedscope.mjs" "$MODULES" thread.trace.json >seen.json
	expect_equal messages "$(jq -c .messages seen.json)" "[]"
	"$ROOT/tests/oracle/exported_costs.py" cpu-clock thread.json seen-speedscope seen.json
}
