# Exports have the costs of the report, by the programs that read them.

load lib
load exported

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need python3
	cd "$BATS_FILE_TMPDIR"
	record one.data -- "$WORKLOADS/recursion" 1
	"$DENDRO" record -q -e '{cpu-clock,page-faults}:S' -o two.data -- "$WORKLOADS/faulter" 1
	report_json one.data --view functions >one.json
	report_json two.data --view functions >two.json
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# has_reported_costs FILE EVENT UNIT : pprof finds the costs of FILE.json in the export of FILE.data
has_reported_costs() {
	need go
	"$DENDRO" export --format pprof -o "$1.pb.gz" "$1.data"
	go tool pprof -top -sample_index="$2" -unit="$3" -nodecount=1000000 -nodefraction=0 \
		-edgefraction=0 "$1.pb.gz" >"$1.top"
	"$ROOT/tests/oracle/exported_costs.py" "$2" "$1.json" top "$1.top"
}

@test "pprof has the report's cost of each function, in recursion, inlined and in the kernel" {
	has_reported_costs one cpu-clock nanoseconds
}

@test "pprof has the costs of each event of a group" {
	has_reported_costs two cpu-clock nanoseconds
	has_reported_costs two page-faults count
}

@test "pprof has the number of samples, the process and the program's build ID" {
	need go readelf
	"$DENDRO" export -f pprof one.data >one.pb.gz
	go tool pprof -raw one.pb.gz >raw
	expect_equal "samples" "$(awk '/^Samples:/ { on = 1 } /^Locations/ { on = 0 }
		on && /^ *[0-9]+ +[0-9]+:/ { n += $1 } END { print n }' raw)" "$(jq .metrics[0].samples one.json)"
	grep -q 'comm:\[recursion\]' raw
	go tool pprof -top one.pb.gz >top 2>&1
	grep -qx "Build ID: $(readelf -n "$WORKLOADS/recursion" | awk '/Build ID/ { print $3 }')" top
	go tool pprof -tags one.pb.gz >tags 2>&1
	grep -q 'pid:' tags
}

@test "folded stacks have the report's cost of each function" {
	"$DENDRO" export --format folded -o one.folded one.data
	"$ROOT/tests/oracle/exported_costs.py" cpu-clock one.json folded one.folded
	expect_equal "other lines" "$(grep -cvE '^[^;]+(;[^;]+)* [0-9]+$' one.folded)" 0
	"$DENDRO" export --format folded --by thread one.data >by-thread.folded
	expect_equal "other lines" "$(grep -cvE '^[a-z]+-[0-9]+/[0-9]+;' by-thread.folded)" 0
}

@test "folded stacks have one event, and a note says which" {
	"$DENDRO" export --format folded two.data >cpu.folded 2>note
	grep -q 'the costs are of cpu-clock; --event chooses another of the 2 events' note
	"$ROOT/tests/oracle/exported_costs.py" cpu-clock two.json folded cpu.folded
	"$DENDRO" export --format folded --event page-faults two.data >faults.folded 2>note
	[ ! -s note ]
	"$ROOT/tests/oracle/exported_costs.py" page-faults two.json folded faults.folded
}

@test "a profile is exported like its recording, and several files as their sum" {
	"$DENDRO" build -o two.cct two.data
	for options in "" "--by thread" "--comm faulter"; do
		"$DENDRO" export -f folded $options two.data 2>/dev/null | LC_ALL=C sort >recording.folded
		"$DENDRO" export -f folded $options two.cct 2>/dev/null | LC_ALL=C sort >profile.folded
		cmp recording.folded profile.folded
	done
	"$DENDRO" report --view functions --format json one.data two.cct >sum.json
	"$DENDRO" export -f folded one.data two.cct >sum.folded 2>/dev/null
	"$ROOT/tests/oracle/exported_costs.py" cpu-clock sum.json folded sum.folded
}

@test "pprof and folded stacks have the costs of all events of the recording that every format is given" {
	need go
	make_exported
	"$DENDRO" export --format pprof -o exported.pb.gz exported.data
	local event unit
	for event in $(events_of exported.json); do
		unit=nanoseconds
		[ "$event" != page-faults ] || unit=count
		go tool pprof -top -sample_index="$event" -unit="$unit" -nodecount=1000000 -nodefraction=0 \
			-edgefraction=0 exported.pb.gz >exported.top
		"$ROOT/tests/oracle/exported_costs.py" "$event" exported.json top exported.top
		"$DENDRO" export --format folded --event "$event" -o exported.folded exported.data
		"$ROOT/tests/oracle/exported_costs.py" "$event" exported.json folded exported.folded
		expect_equal "other lines" "$(grep -acvE '^[^;]+(;[^;]+)* [0-9]+$' exported.folded)" 0
	done
}

@test "names from hostile programs cannot end a stack or a line" {
	need gcc objcopy
	printf '#include "tests/workloads/work.h"\n%s\n%s\n' \
		'__attribute__((noinline)) void hot(unsigned n) { while (n--) unit(); KEEP_FRAME(); }' \
		'int main(int c, char **v) { struct rounds r = rounds_begin(c, v);
		for (unsigned n; (n = rounds_next(&r));) hot(n); }' >hot.c
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -I "$ROOT" -o hot hot.c
	printf 'hot evil;main\033[31m\n' >renames
	objcopy --redefine-syms=renames hot hostile
	record hostile.data -- ./hostile 0.3
	"$DENDRO" export -f folded hostile.data >folded
	grep -qF ';main;evil:main\x1b[31m' folded
	expect_equal "lines with controls" "$(grep -c $'\033' folded)" 0
	"$DENDRO" export -f pprof hostile.data | gzip -dc >pprof
	expect_equal "colors" "$(grep -caF $'\033[31m' pprof)" 0
}

@test "wrong use is refused with what to do, and the recording is kept" {
	run "$DENDRO" export one.data
	expect_equal status "$status" 129
	[[ $output == *"name a format with --format: pprof"* ]]
	run "$DENDRO" export --format gif one.data
	expect_equal status "$status" 129
	[[ $output == *"takes pprof"*", not 'gif'"* ]]
	cp one.data copy.data
	run "$DENDRO" export --format folded -o copy.data copy.data
	expect_equal status "$status" 1
	[[ $output == *"copy.data is the input itself: name another file with -o."* ]]
	cmp one.data copy.data
	run "$DENDRO" export --format folded -o missing/out one.data
	expect_equal status "$status" 1
	[[ $output == *"missing/out: No such file or directory."* ]]
	run "$DENDRO" export --format pprof -o /dev/full one.data
	expect_equal status "$status" 1
	[[ $output == *"/dev/full: No space left on device."* ]]
}
