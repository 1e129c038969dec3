# gdb as an oracle: programs are stopped at random moments, and both read all variables of all frames.

load lib

setup() {
	need gdb python3 gcc
	[ -x "$VALUE_CASES" ] || skip "tests/oracle/gdb_stops/value_cases is not built"
	cd "$BATS_TEST_TMPDIR"
	sleep 60 3>&- &
	local victim=$!
	gdb -nx --batch -p $victim -ex detach >gdb.out 2>&1 || true
	kill $victim
	! grep -q 'not permitted' gdb.out || skip "gdb may not attach to programs here"
}

@test "the parameters and locals of running programs are the same as gdb's, from -O0 to -O3" {
	local compiler level name programs=()
	for compiler in gcc clang; do
		command -v "$compiler" >/dev/null || continue
		for level in 0 1 2 3; do
			for name in arguments entry_values recursion; do
				"$compiler" -std=gnu17 -D_GNU_SOURCE -I "$ROOT" -g -O$level \
					-o $name-"$compiler"-O$level "$ROOT/tests/workloads/$name.c"
				programs+=("$name-$compiler-O$level=$PWD/$name-$compiler-O$level 20")
			done
		done
	done
	for compiler in g++ clang++; do
		command -v "$compiler" >/dev/null || continue
		for level in 0 2; do
			"$compiler" -D_GNU_SOURCE -I "$ROOT" -g -O$level -o cxx-"$compiler"-O$level \
				"$ROOT/tests/workloads/cxx.cpp"
			programs+=("cxx-$compiler-O$level=$PWD/cxx-$compiler-O$level 20")
		done
	done
	for level in 0 2; do
		! command -v rustc >/dev/null ||
			! rustc -g -C opt-level=$level -o words-rustc-O$level \
				"$ROOT/tests/workloads/languages/words.rs" ||
			programs+=("words-rustc-O$level=$PWD/words-rustc-O$level 20")
	done
	show python3 "$ROOT/tests/oracle/gdb_stops/values" --stops 5 "$VALUE_CASES" "${programs[@]}"
}
