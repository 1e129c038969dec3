# gdb as an oracle: running programs are stopped at random moments, and both unwind the stack.

load lib

setup() {
	need gdb python3 xz
	[ -x "$UNWIND_CASES" ] || skip "tests/oracle/gdb_stops/unwind_cases is not built"
	cd "$BATS_TEST_TMPDIR"
	sleep 60 3>&- &
	local victim=$!
	gdb -nx --batch -p $victim -ex detach >gdb.out 2>&1 || true
	kill $victim
	! grep -q 'not permitted' gdb.out || skip "gdb may not attach to programs here"
}

@test "the frames of running programs that are stopped at random are the same as gdb's" {
	local python
	python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
	yes 'some text to be compressed, over and over' | head -c 30000000 >text
	show python3 "$ROOT/tests/oracle/gdb_stops/run" --stops 25 "$UNWIND_CASES" \
		"python3=$python $ROOT/tests/workloads/json_re.py 20" \
		"xz=$(command -v xz) -T1 -9e -kfc text"
}
