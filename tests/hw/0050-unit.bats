# The unit tests, built for arm64: with an arm64 kernel, its real processes and events; and what is
# skipped there under qemu's user mode, with this machine's files and compilers.
# in turn (build/hw): what is built, booted and brought back lies in one folder

load lib

setup_file() {
	load lib
	prepare guest build
}

setup() {
	skip_unprepared
	cd "$BATS_TEST_TMPDIR" || return
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

# expect_passed WHERE LOG PROGRAMS : each program's TAP ends with a line of its name and status
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
			exit !(passed && !failed && !missing)
		}' "$2" >shown || {
		cat shown
		return 1
	}
	grep '^#>' shown >&3
	expect_equal "programs with a status" "$(grep -c '^== ' "$2")" "$3"
}

# Names of the programs that skip a test in this log.
skipping_in() { # skipping_in LOG
	awk '/^not ok [0-9]+ # SKIP/ { skips = 1 } /^== / { if (skips) print $2; skips = 0 }' "$1"
}

@test "the unit tests pass with an arm64 kernel" {
	# shellcheck disable=SC2046
	boot kernel unit.job $(programs)
	expect_passed "with an arm64 kernel" "$BATS_FILE_TMPDIR/kernel/log" "$(programs | wc -l)"
	expect_at_least "passed, of passed and skipped" "$(grep -c '^ok ' "$BATS_FILE_TMPDIR/kernel/log")" \
		"$(grep -cE '^ok |# SKIP' "$BATS_FILE_TMPDIR/kernel/log")" 90
}

@test "what is skipped there passes under qemu-aarch64" {
	need qemu-aarch64-static
	local kernel=$BATS_FILE_TMPDIR/kernel/log
	if [ -e "$kernel" ]; then
		skipping_in "$kernel" >names
		programs | grep -E "/($(paste -sd'|' names))$" >wanted
	else
		programs >wanted
	fi
	export -f run_here
	# shellcheck disable=SC2016
	(cd "$ROOT" && xargs -P "$(nproc)" -I {} bash -c 'run_here "$0"' {}) <wanted
	cat -- *.log >log
	expect_passed "under qemu-aarch64" log "$(wc -l <wanted)"
}
