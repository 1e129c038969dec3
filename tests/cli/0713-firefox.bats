# Exports for Firefox Profiler have the costs and times of the report, by their own numbers and as
# Mozilla's profiler-cli reads them.

load lib
load exported

setup_file() {
	load lib
	load exported
	prepare make_exports
}

make_exports() {
	make_exported
	"$DENDRO" export -f firefox -o exported.firefox.json.gz exported.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

teardown_file() {
	[ ! -e "$BATS_FILE_TMPDIR/session" ] ||
		HOME=$BATS_FILE_TMPDIR "$(<"$BATS_FILE_TMPDIR/session")" stop --all || true
}

@test "columns have their lengths, and all indices exist" {
	"$ROOT/tests/oracle/firefox_profile.py" exported.firefox.json.gz
	"$DENDRO" export -f firefox --hide 'unit|main' --caller-depth 4 -o cut.json exported.data
	"$ROOT/tests/oracle/firefox_profile.py" cut.json
	"$DENDRO" export -f firefox --focus nothing_that_exists -o empty.json exported.data
	"$ROOT/tests/oracle/firefox_profile.py" empty.json
}

@test "all events have the report's cost of each function, as samples or as markers" {
	local event
	for event in $(events_of exported.json); do
		expect_costs "$event" firefox exported.firefox.json.gz
	done
}

@test "samples have the times, threads and costs that script prints" {
	"$DENDRO" script --ns -F pid,tid,time,period,event exported.data >script
	"$ROOT/tests/oracle/firefox_profile.py" exported.firefox.json.gz script cpu-clock
}

@test "a profile is exported like its recording" {
	local options
	for options in "" "--time 20%-60%" "--comm exported --focus direct"; do
		# shellcheck disable=SC2086
		"$DENDRO" export -f firefox $options exported.data 2>/dev/null | jq -S . >recording
		# shellcheck disable=SC2086
		"$DENDRO" export -f firefox $options exported.cct 2>/dev/null | jq -S . >profile
		expect_equal threads "$(jq -c '[.threads[] | [.pid, .tid, .samples.time, .samples.weight,
			.markers.startTime, .markers.endTime]]' recording | md5sum)" \
			"$(jq -c '[.threads[] | [.pid, .tid, .samples.time, .samples.weight,
			.markers.startTime, .markers.endTime]]' profile | md5sum)"
	done
	"$DENDRO" export -f firefox -o profile.json exported.cct
	expect_costs cpu-clock firefox profile.json
}

@test "inlined functions, categories, lines and build IDs are there" {
	need readelf
	gzip -dc exported.firefox.json.gz >whole.json
	jq -e '.shared | . as $s | [range(.frameTable.length) | select($s.frameTable.inlineDepth[.] > 0) |
		$s.stringArray[$s.funcTable.name[$s.frameTable.func[.]]]] | unique |
		contains(["inlined_leaf", "inlined_middle", "unit"])' whole.json
	jq -e '.meta.categories as $c | .shared | . as $s | [range(.frameTable.length) |
		select($s.stringArray[$s.funcTable.name[$s.frameTable.func[.]]] == "do_syscall_64") |
		$c[$s.frameTable.category[.]].name] | unique == [] or unique == ["Kernel"]' whole.json
	jq -e '.shared | . as $s | [range(.frameTable.length) |
		select($s.stringArray[$s.funcTable.name[$s.frameTable.func[.]]] == "run") |
		$s.frameTable.line[.]] | any(. and . > 80 and . < 95)' whole.json
	expect_equal "build ID" "$(jq -r '.libs[] | select(.name == "exported") | .codeId' whole.json)" \
		"$(readelf -n exported | awk '/Build ID/ { print $3 }')"
}

@test "counters have the CPU time of the processes" {
	report_json exported.data --view processes --by process -e cpu-clock |
		jq -r '.rows[] | select(.total[0] > 0) | [(.id | tostring), .total[0]] | @tsv' | sort >reported
	# The second program of a process has a suffix after its pid.
	gzip -dc exported.firefox.json.gz | jq -r '.counters[] |
		[(.pid | sub("\\..*"; "")), (.samples.count | add * 1e6 | round)] | @tsv' | sort >counted
	cmp reported counted
}

@test "waits are markers as long as the wait" {
	jq -e '.metrics[] | select(.event == "off-cpu" and .samples > 0)' exported.json ||
		skip "time off the CPU could not be recorded"
	gzip -dc exported.firefox.json.gz | jq -e '[.threads[].markers | . as $m | range(.length) |
		select($m.data[.].type == "dendro-wait") |
		($m.endTime[.] - $m.startTime[.] - $m.data[.].weight) | fabs < 0.0011] | length > 0 and all'
	gzip -dc exported.firefox.json.gz | jq -e '[.threads[].markers.data[] | .reason // empty] |
		unique | contains(["[sleeping]"])'
}

# client ARGUMENT... : asks profiler-cli's server, again if it does not answer in the client's time
client() {
	local attempt answer
	for ((attempt = 0; attempt < 30; attempt++)); do
		if answer=$("$cli" "$@" --session exported 2>>client.errors 3>&-); then
			echo "$answer"
			return
		fi
		sleep 1
	done
	echo "profiler-cli $*: failed $attempt times" >&2
	tail -n 20 client.errors >&2
	return 1
}

@test "profiler-cli reads the report's costs" {
	local cli thread
	need_npm @firefox-devtools/profiler-cli
	cli=$MODULES/.bin/profiler-cli
	export HOME=$BATS_FILE_TMPDIR
	echo "$cli" >session
	# On a busy machine the server may still be starting when this gives up.
	"$cli" load exported.firefox.json.gz --session exported >client.errors 2>&1 3>&- || true
	client profile info
	for thread in $(gzip -dc exported.firefox.json.gz | jq -r '.threads | keys[] | "t-\(.)"'); do
		client thread functions --json --include-idle --thread "$thread"
	done | jq -s . >seen.json
	"$cli" stop exported 2>>client.errors || true # teardown_file does, too
	expect_costs cpu-clock seen-firefox seen.json
}

@test "the sum of several runs, which have no time in common, is refused" {
	record other.data -- ./exported 0.1
	run "$DENDRO" export -f firefox exported.cct other.data
	expect_equal status "$status" 1
	[[ $output == *"firefox has the time of each sample"*"export each of them"* ]]
}
