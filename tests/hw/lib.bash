# Loaded by the *.bats here: building for arm64 and booting an emulated machine.
# shellcheck shell=bash
load ../cli/lib
export HW=${HW:-$ROOT/build/hw}

guest() { # guest ARGUMENTS... : tests/hw/guest
	local status=0 log=$BATS_FILE_TMPDIR/log
	"$ROOT/tests/hw/guest" "$@" >"$log" 2>&1 || status=$?
	[ $status -ne 77 ] || skip "$(tail -n 1 "$log")"
	[ $status -eq 0 ] || cat "$log"
	return $status
}

# boot NAME JOB FILE... : what JOB (a file of this folder) leaves is then in $BATS_FILE_TMPDIR/NAME
boot() {
	local name=$1 job=$2
	shift 2
	guest run "$ROOT/tests/hw/$job" "$@" && cp -r "$HW/out" "$BATS_FILE_TMPDIR/$name"
}
