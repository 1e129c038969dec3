# The cgroups of samples. Programs enter cgroups made for the test, on a machine that may have others.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

# A program in each of two cgroups below $1, one of which is made meanwhile.
two_cgroups() {
	cat >two.sh <<-'END'
		enter() { echo $BASHPID >"$1/cgroup.procs"; }
		(enter "$1/one.service"; exec "$2" 0.5) &
		mkdir "$1/two"
		(enter "$1/two"; exec "$3" 0.5) &
		wait
	END
}

make_recordings() {
	need_events
	need_root
	local mount
	cd "$BATS_FILE_TMPDIR"
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "no hierarchy of cgroups (version 2) is mounted"
	echo "/dendro-cgroups-$$" >parent
	echo "$mount/dendro-cgroups-$$" >folder
	mkdir "$(<folder)" 2>/dev/null || skip "cgroups cannot be made here"
	mkdir "$(<folder)/one.service"
	two_cgroups
	"$DENDRO" record -F 997 -e cpu-clock --no-jitter --all-cgroups -o two.data -- \
		bash two.sh "$(<folder)" "$WORKLOADS/threads" "$WORKLOADS/cxx" 2>message
	if grep "does not report the cgroup" message; then
		skip "this kernel does not report the cgroups of samples"
	fi
	! awk '$3 == "cgroup" && $4 ~ /perf_event/ { found = 1 } END { exit !found }' /proc/mounts ||
		skip "the kernel counts in cgroups of version 1 here"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

teardown_file() {
	local folder
	[ -e "$BATS_FILE_TMPDIR/folder" ] || return 0
	folder=$(<"$BATS_FILE_TMPDIR/folder")
	[ ! -d "$folder" ] || find "$folder" -depth -type d -exec rmdir {} +
}

@test "perf shows the cgroups of samples, and the paths of old and new ones" {
	need perf
	perf script -i two.data --show-cgroup-events 2>/dev/null >lines
	grep -q "CGROUP cgroup: [0-9]* $(<parent)/one.service\$" lines
	grep -q "CGROUP cgroup: [0-9]* $(<parent)/two\$" lines
	perf report -i two.data --stdio -q -g none -t , --sort comm,cgroup 2>/dev/null | cut -d, -f2- | tr -d " " >pairs
	grep -E "worker-1,$(<parent)/one.service\$" pairs
	grep -E "cxx,$(<parent)/two\$" pairs
}
