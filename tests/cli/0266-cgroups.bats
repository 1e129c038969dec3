# Recordings of a cgroup, in which the family of tests/workloads/family.c runs, and of a unit, which
# is a cgroup with its name.

load lib

setup() {
	need_events
	need_root
	local mount
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "no hierarchy of cgroups (version 2) is mounted"
	CGROUP=$mount/dendro-$$-$BATS_TEST_NUMBER
	mkdir "$CGROUP" 2>/dev/null || skip "cgroups cannot be made here"
	cd "$BATS_TEST_TMPDIR"
	GO='touch go; until [ -e done ]; do sleep 0.02; done'
}

is_empty() {
	! grep -q . "$1/cgroup.procs"
}

teardown() {
	local folder pid
	[ -d "$CGROUP" ] || return 0
	find "$CGROUP" -depth -type d | while read -r folder; do
		while read -r pid; do
			kill -KILL "$pid" || true
		done <"$folder/cgroup.procs"
		wait_until is_empty "$folder"
		rmdir "$folder"
	done
}

# run_in CGROUP COMMAND...
run_in() {
	mkdir -p "$1"
	sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$@" 3>&- &
}

has_processes() { # has_processes CGROUP N
	[ "$(wc -l <"$1/cgroup.procs")" -eq "$2" ]
}

record_cgroup() { # record_cgroup FILE OPTION... -- COMMAND...
	local file=$1
	shift
	"$DENDRO" record -e cpu-clock --no-jitter -v -o "$file" "$@" 2>message || {
		cat message
		return 1
	}
	if grep "the kernel counts only in cgroups of the hierarchy" message; then
		skip "the kernel does not count in cgroups of version 2 here"
	fi
}

@test "--cgroup records the processes in it and in those below it, and no other" {
	"$WORKLOADS/dispatch" 60 3>&- &
	local other=$!
	run_in "$CGROUP/below" "$WORKLOADS/family" tree
	wait_until has_processes "$CGROUP/below" 3
	record_cgroup x.data --cgroup "${CGROUP##*/}" -- sh -c "$GO"
	stop $other
	report_json x.data >tree
	expect_parts tree parent_work 1 child_work 2 grandchild_work 3 late_work 4
	expect_complete tree 99
	expect_equal commands "$(ask tree '[nodes | select(.kind == "process") | .name] | unique | join(" ")')" \
		"fam-child fam-grandchild fam-late fam-parent"
}

@test "--cgroup records a process that enters it from then on, with its mappings" {
	"$WORKLOADS/dispatch" 60 3>&- &
	local other=$!
	record_cgroup x.data --cgroup "$CGROUP" -- sh -c \
		"echo $other >'$CGROUP/cgroup.procs'; exec '$ROOT/tests/cli/until_worked' 30 $other"
	report_json x.data >tree
	expect_equal commands "$(ask tree '[nodes | select(.kind == "process") | .name] | unique | join(" ")')" \
		dispatch
	expect_complete tree 99
	expect_paths tree worker "main dispatch_1 worker
main dispatch_2 worker"
}

@test "--unit finds the cgroup of a unit" {
	local name=dendro-test-$$
	run_in "$CGROUP/$name.service" "$WORKLOADS/family" tree
	wait_until has_processes "$CGROUP/$name.service" 3
	record_cgroup x.data --unit "$name" -- sh -c "$GO"
	report_json x.data >tree
	expect_parts tree parent_work 1 child_work 2 grandchild_work 3 late_work 4
}

@test "off-cpu records the processes that are in a cgroup at the start" {
	run_in "$CGROUP" "$WORKLOADS/family" tree
	wait_until has_processes "$CGROUP" 3
	"$DENDRO" record -e cpu-clock -e off-cpu --no-jitter -o x.data --cgroup "$CGROUP" \
		-- sh -c "$GO" 2>message || grep -q tracefs message
	[ -s x.data ] || skip "$(<message)"
	grep -F "are recorded, with what they start: off-cpu follows threads." message
	report_json x.data --event cpu-clock >tree
	expect_parts tree parent_work 1 child_work 2 grandchild_work 3 late_work 4
}

@test "a cgroup or unit that does not exist is named in the message" {
	mkdir "$CGROUP/dendro-units-$$.service"
	refuses "there is no cgroup 'dendro-nowhere'" -- "$DENDRO" record --cgroup dendro-nowhere
	refuses "no unit 'dendro-untis-$$' is running (--unit); did you mean dendro-units-$$?" -- \
		"$DENDRO" record --unit "dendro-untis-$$"
	mkdir -p "$CGROUP/x/dendro-units-$$.service"
	refuses "several units have the name" -- "$DENDRO" record --unit "dendro-units-$$"
}
