# Names of JIT code, from the jitdump files that run-time compilers write. Functions that replaced each
# other at one address are distinguished by time.

load lib

setup_file() {
	load lib
	prepare build_workload
}

build_workload() {
	need_events
	need gcc
	cd "$BATS_FILE_TMPDIR"
	gcc -D_GNU_SOURCE -O2 -o jitdump "$ROOT/tests/workloads/jitdump.c" 2>build.errors ||
		skip "code for this processor is not in the workload"
}

setup() {
	skip_unprepared
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR/jitdump" .
}

expect_turns() { # expect_turns NAME : the costs of all functions, and whether they are below main
	report_json "$1.data" --view functions >"$1.functions"
	expect_ratio "$1" "turn first" 1 "turn second" 2 moved 3
	report_json "$1.data" >"$1.tree"
	expect_equal parents "$(ask "$1.tree" 'parents_of("turn second") | unique | join(" ")')" main
	expect_at_least "complete paths" "$(jq .quality.unwind.complete "$1.tree")" \
		"$(jq .quality.samples "$1.tree")" 98
}

@test "functions that alternate at one address, and functions that move, have their names and shares" {
	record turns.data -- ./jitdump 2 >path
	expect_turns turns
	expect_equal module "$(jq -r '.rows[] | select(.name == "moved") | .module' turns.functions)" "$(cat path)"
	expect_equal amiss "$(jq .quality.jitdumps turns.tree)" null
}

@test "the recording contains the dump after the file is deleted" {
	local how
	for how in gone deleted; do
		record $how.data -- ./jitdump 1.5 $how >path
		[ ! -e "$(cat path)" ]
		expect_turns $how
	done
}

@test "a dump that ends inside a record has the names before it, and the report says so" {
	record cut.data -- ./jitdump 1.5 cut >path
	expect_turns cut
	expect_equal cut "$(jq .quality.jitdumps.cut cut.tree)" 1
	"$DENDRO" report cut.data | grep -q "1 jitdump file ends inside a record"
}

@test "only the beginning of a huge dump is recorded, and a note says so" {
	"$DENDRO" record -e cpu-clock -F 997 -o huge.data -- ./jitdump 1 huge >path 2>errors
	grep -q "1 jitdump file is larger than 256 MiB" errors
	[ "$(stat -c %s huge.data)" -lt 10000000 ]
	rm "$(cat path)"
	expect_turns huge
}

@test "the dump of a process that runs before and after the recording is recorded" {
	./jitdump 600 >path 3>&- &
	local pid=$!
	wait_until test -s path
	"$DENDRO" record -q -e cpu-clock -F 997 -o attached.data -p $pid "$ROOT/tests/cli/until_worked" 100 $pid
	stop $pid
	rm "$(cat path)"
	expect_turns attached
}

@test "a recording of the whole machine has the dumps of processes that run already" {
	need_root
	./jitdump 600 >path 3>&- &
	local pid=$!
	wait_until test -s path
	"$DENDRO" record -q -e cpu-clock -F 997 -o all.data -a "$ROOT/tests/cli/until_worked" 100 $pid
	stop $pid
	rm "$(cat path)"
	report_json all.data --view functions --pid $pid >all.functions
	expect_ratio all "turn first" 1 "turn second" 2 moved 3
}

@test "the dump of a process in a separate mount namespace is recorded" {
	need_root
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	mkdir inside
	record mounted.data -- unshare -m --propagation private sh -c \
		'mount -t tmpfs none inside && cp jitdump inside && cd inside && exec ./jitdump 1.5' >path
	[ ! -e "inside/$(cat path)" ]
	expect_turns mounted
}

@test "another user's dump is ignored, and a note says so" {
	need_root
	"$DENDRO" record -e cpu-clock -F 997 -o given.data -- ./jitdump 0.3 given >path 2>errors
	grep -q "1 jitdump file was ignored" errors
	rm jit-*.dump
	report_json given.data >given.tree
	expect_equal missing "$(jq .quality.jitdumps.missing given.tree)" 1
	"$DENDRO" report given.data | grep -q "1 jitdump file is missing"
}

@test "with different clocks the latest code names an address, and the report says so" {
	record tsc.data -- ./jitdump 1 tsc >path
	report_json tsc.data --view functions >tsc.functions
	expect_equal untimed "$(jq .quality.jitdumps.untimed tsc.functions)" 1
	expect_ratio tsc "turn second" 1 moved 1
	expect_equal "turn first" "$(total_of tsc.functions "turn first")" 0
}

@test "in a recording through a pipe the latest code names an address" {
	"$DENDRO" record -q -e cpu-clock -F 997 -o - -- sh -c './jitdump 1 >path' |
		"$DENDRO" report --format json --view functions - >pipe.functions
	expect_ratio pipe "turn second" 1 moved 1
}

@test "the dump of perf's recording is found at its mapped path if it has not changed" {
	need perf
	perf record -q -k mono -e cpu-clock -F 997 --call-graph dwarf,4096 -o foreign.data ./jitdump 2 >path 2>errors ||
		skip "perf can't record here: $(tail -n 1 errors)"
	expect_turns foreign
	report_json foreign.data >foreign.before
	"$DENDRO" archive -q -o foreign.archive foreign.data
	touch -d "next day" "$(cat path)"
	report_json foreign.data >later.tree
	expect_equal "missing when written to later" "$(jq .quality.jitdumps.missing later.tree)" 1
	report_json foreign.archive >foreign.after
	cmp foreign.before foreign.after
}

@test "node: functions have the same names from its jitdump as in perf" {
	need node
	node --perf-prof -e 0 2>errors || skip "this node writes no jitdump: $(head -n 1 errors)"
	rm -f jit-*.dump
	cat >program.js <<-'JS'
		function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
		function spin(n) { let s = 0; while (n--) s += fib(20); return s; }
		spin(15000);
	JS
	record node.data -- node --perf-prof program.js
	rm -f jit-*.dump
	report_json node.data --view functions >node.functions
	local fib all
	local kind='(JS|LazyCompile|Function):.?' # node 20, and 18
	fib=$(jq --arg kind "$kind" '[.rows[] | select(.name | test("^" + $kind + "fib .*program.js"))
		| .self[0]] | add' node.functions)
	all=$(jq '.metrics[0].total' node.functions)
	expect_at_least "cost of fib()" "$fib" "$all" 70
	# Not the tree: node's own start may be nested deeper than jq reads.
	"$DENDRO" script node.data | awk -v kind="$kind" '/^$/ { inside = 0 } $0 ~ kind "fib " { inside = 1 }
		inside && $0 ~ kind "spin .*program.js" { found = 1 } END { exit !found }'
}

@test "JIT code is disassembled from the dump" {
	record code.data -- ./jitdump 1 >path
	local name
	for name in moved "turn second"; do
		"$DENDRO" annotate --format json "$name" code.data >code.json
		expect_equal problem "$(jq -r '.functions[0].problem' code.json)" null
		expect_equal "cost of code without text" \
			"$(jq '[.functions[0].instructions[] | select(.text | not) | .self[0]] | add // 0' code.json)" 0
		jq -r '.functions[0].instructions[].text' code.json >texts
		head -n 6 texts
		grep -q '^ret' texts
		# A jump within the function has its name.
		[ "$(uname -m)" != x86_64 ] || grep -q "^j.* <$name+0x" texts
	done
}
