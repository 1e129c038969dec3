# Names of JIT code, from the perf-PID.map files that run-time compilers write.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need gcc
	cd "$BATS_FILE_TMPDIR"
	gcc -D_GNU_SOURCE -O2 -o jit_named "$ROOT/tests/workloads/jit_named.c" 2>build.errors ||
		skip "code for this processor is not in the workload"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

teardown() { # like real JIT compilers, the workload does not remove its map
	if [ -s map ]; then
		xargs rm -f <map
		sed 's/$/.other/' map | xargs rm -f
	fi
}

expect_named() { # expect_named REPORT-OF-FUNCTIONS
	local one two
	one=$(total_of "$1" "made first")
	two=$(total_of "$1" "made second")
	expect_share "made first" "$one" $((one + two)) 1 3
	expect_equal moved_away "$(total_of "$1" moved_away)" 0
}

@test "the latest line of a perf-PID.map names JIT code" {
	record plain.data -- ./jit_named 1 >map
	report_json plain.data --view functions >plain.functions
	expect_named plain.functions
	report_json plain.data >plain.tree
	expect_equal parents "$(ask plain.tree 'parents_of("made second") | join(" ")')" main
}

@test "annotate shows the instructions of JIT code from the pages in the recording" {
	need objdump
	record code.data -- ./jit_named 1 >map
	"$DENDRO" annotate --format json --intel "made first" code.data >code.json
	expect_equal problem "$(jq -r '.functions[0].problem' code.json)" null
	jq -r '.functions[0].instructions[].text' code.json >texts
	cut -d' ' -f1 texts >mnemonics
	# The same code as the compiler put into the program.
	objdump -d --no-show-raw-insn -M "$([ "$(uname -m)" != x86_64 ] || echo intel)" \
		--disassemble=loop_begin jit_named |
		awk '/^ .*:/ { print $2 }' >expected
	grep -q . expected
	diff expected mnemonics
	[ "$(uname -m)" != x86_64 ] || grep -q "^jne .*<made first+0x" texts
	expect_equal "cost of instructions" \
		"$(jq '[.functions[0].instructions[] | .self[0]] | add' code.json)" \
		"$(jq '.functions[0].self[0]' code.json)"
}

@test "the recording contains the names after the file is deleted" {
	record gone.data -- ./jit_named 1 gone >map
	[ ! -e "$(cat map)" ]
	report_json gone.data --view functions >gone.functions
	expect_named gone.functions
	"$DENDRO" script gone.data | grep -q "made second+0x"
}

@test "a recording through a pipe contains the names" {
	"$DENDRO" record -q -e cpu-clock -F 997 -o - -- sh -c './jit_named 0.5 >map' |
		"$DENDRO" report --format json --view functions - >pipe.functions
	expect_named pipe.functions
}

@test "the names of a process that runs already are recorded, too" {
	./jit_named 600 >map 3>&- &
	local pid=$!
	wait_until test -s map
	"$DENDRO" record -q -e cpu-clock -F 997 -o attached.data -p $pid "$ROOT/tests/cli/until_worked" 60 $pid
	stop $pid
	report_json attached.data --view functions >attached.functions
	expect_named attached.functions
}

@test "another user's file and a symbolic link are ignored, and a note says so" {
	need_root
	local how
	for how in link given; do
		"$DENDRO" record -e cpu-clock -F 997 -o $how.data -- ./jit_named 0.3 $how >map 2>$how.errors
		grep -q "1 perf-PID.map file was ignored" $how.errors
		report_json $how.data --view functions >$how.functions
		expect_equal "named by $how" "$(total_of $how.functions "made second")" 0
		xargs rm -f <map
	done
}

@test "names of a process in a separate mount namespace are read from its own /tmp" {
	need_root
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	record mounted.data -- unshare -m --propagation private \
		sh -c 'mount -t tmpfs none /tmp && exec ./jit_named 1' >map
	[ ! -e "$(cat map)" ]
	report_json mounted.data --view functions >mounted.functions
	expect_named mounted.functions
}
