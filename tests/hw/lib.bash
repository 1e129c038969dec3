# Loaded by the *.bats here: building for arm64 and booting an emulated machine.
# shellcheck shell=bash
load ../cli/lib
export HW=${HW:-$ROOT/build/hw}

# In setup_file, which can't skip. What is missing lets the tests be skipped by skip_unprepared.
prepare() { # prepare FUNCTION [ARGUMENT...] : guest, boot, or what returns their status
	"$@" || [ -s "$BATS_FILE_TMPDIR/missing" ]
}

skip_unprepared() {
	[ ! -s "$BATS_FILE_TMPDIR/missing" ] || skip "$(<"$BATS_FILE_TMPDIR/missing")"
}

guest() { # guest ARGUMENTS... : tests/hw/guest
	local status=0 log=$BATS_FILE_TMPDIR/log
	"$ROOT/tests/hw/guest" "$@" >"$log" 2>&1 || status=$?
	if [ $status -eq 77 ]; then
		tail -n 1 "$log" >"$BATS_FILE_TMPDIR/missing"
	elif [ $status -ne 0 ]; then
		cat "$log"
	fi
	return $status
}

# boot NAME JOB FILE... : what JOB (a file of this folder) leaves is then in $BATS_FILE_TMPDIR/NAME
boot() {
	local name=$1 job=$2
	shift 2
	guest run "$ROOT/tests/hw/$job" "$@" && cp -r "$HW/out" "$BATS_FILE_TMPDIR/$name"
}
