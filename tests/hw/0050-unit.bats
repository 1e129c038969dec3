# The unit tests, built for arm64: under qemu's user mode, with this machine's files and compilers,
# and with an arm64 kernel, with its real processes and events.
# in turn (build/hw): what is built, booted and brought back lies in one folder

load lib

setup_file() {
	load lib
	prepare guest build
}

setup() {
	skip_unprepared
}

programs() { # whose sources exist
	(cd "$ROOT" && find tests/unit -name 'test_*.c') | sort | sed "s|^|$HW/dendro/|; s|\.c$||"
}

run_here() { # run_here PROGRAM : its TAP goes to $BATS_TEST_TMPDIR/PROGRAM.log
	local status=0
	exec >"$BATS_TEST_TMPDIR/$(basename "$1").log"
	CMOCKA_MESSAGE_OUTPUT=TAP timeout 1200 qemu-aarch64-static -L "$HW/sysroot" "$1" 2>&1 ||
		status=$?
	echo "== $(basename "$1") status $status"
}

# expect_passed WHERE LOG : each program's TAP ends with a line of its name and status
expect_passed() {
	awk -v where="$1" '
		/^1\.\.[0-9]+/ { planned += substr($1, 4) }
		/^ok / { passed++ }
		/^not ok [0-9]+ # SKIP/ { skipped++ }
		/^not ok [0-9]+ - / { failed++; is_shown = 1 }
		{ text = text $0 "\n" }
		/^== / {
			programs++
			if ($4 != 0) { failed += !is_shown; is_shown = 1 }
			if (is_shown) printf "%s", text
			text = ""
			is_shown = 0
		}
		END {
			missing = planned - passed - skipped - failed
			printf "#> unit tests %s: %d programs, %d passed, %d failed, %d skipped\n", where,
			       programs, passed, failed, skipped
			exit !(programs > 50 && !failed && !missing && passed > 10 * skipped)
		}' "$2" >shown || {
		cat shown
		return 1
	}
	grep '^#>' shown >&3
	expect_equal "programs with a status" "$(grep -c '^== ' "$2")" "$(programs | wc -l)"
}

@test "the unit tests pass under qemu-aarch64" {
	need qemu-aarch64-static
	cd "$ROOT"
	export -f run_here
	# shellcheck disable=SC2016
	programs | xargs -P "$(nproc)" -I {} bash -c 'run_here "$0"' {}
	cd "$BATS_TEST_TMPDIR"
	cat -- *.log >log
	expect_passed "under qemu-aarch64" log
}

@test "the unit tests pass with an arm64 kernel" {
	# shellcheck disable=SC2046
	boot kernel unit.job $(programs)
	cd "$BATS_TEST_TMPDIR"
	expect_passed "with an arm64 kernel" "$BATS_FILE_TMPDIR/kernel/log"
}
