# Which processes -p chooses: numbers, names, and what they have started. The family of
# tests/workloads/family.c is there before the recording; the command of the recording lets it work.

load lib

setup() {
	need_events
	cd "$BATS_TEST_TMPDIR"
	# Other tests' families may be there at the same time: this one's has a name that none of them has.
	FAMILY=$(printf '%04x' $((BASHPID % 65536)))
	GO='touch go; until [ -e done ]; do sleep 0.02; done'
}

teardown() {
	[ ! -e pid ] || kill -KILL -- "-$(<pid)" 2>/dev/null || true
}

is_there() { # is_there COMM : a process of the family has that name
	pgrep -g "$(<pid)" -x "$1" >/dev/null
}

# begin MODE MEMBER : the family, until that process is there. The file pid has its parent's process ID,
# which is that of its group, too.
begin() {
	need pgrep setsid
	setsid "$WORKLOADS/family" "$1" "$FAMILY" >brief 3>&- &
	echo $! >pid
	wait_until is_there "$FAMILY-$2"
}

# Without jitter, so that all processes have one sampling period.
record_family() { # record_family CHOICE
	"$DENDRO" record -q -e cpu-clock --no-jitter -p "$1" -o family.data -- sh -c "$GO"
	report_json family.data >family.tree
}

names_in() { # names_in FILE : of the program's functions that worked
	ask "$1" '[nodes | select(.kind == "user" and (.name | test("_work$"))) | .name] | unique | join(" ")'
}

@test "-p PID+ records the processes that it has started, theirs, and those to come" {
	begin tree grandchild
	record_family "$(<pid)+"
	expect_parts family.tree parent_work 1 child_work 2 grandchild_work 3 late_work 4
	expect_paths family.tree grandchild_work "main run_child grandchild_work"
	expect_complete family.tree 99
}

@test "-p PID records the process and those to come" {
	begin tree grandchild
	record_family "$(<pid)"
	expect_equal functions "$(names_in family.tree)" "late_work parent_work"
	expect_parts family.tree parent_work 1 late_work 4
}

@test "-p NAME records every process of that name; names, globs and numbers may be mixed" {
	begin tree grandchild
	record_family "$FAMILY-child,$FAMILY-grand*,$(<pid)"
	expect_parts family.tree parent_work 1 child_work 2 grandchild_work 3 late_work 4
}

@test "-p NAME+ records the processes of that name and those that they have started" {
	begin tree grandchild
	record_family "$FAMILY-child+"
	expect_equal functions "$(names_in family.tree)" "child_work grandchild_work"
	expect_parts family.tree child_work 2 grandchild_work 3
}

@test "-p PID+ misses none of many processes that are replaced while it attaches" {
	begin storm brief
	record_family "$(<pid)+"
	wait "$(<pid)"
	"$DENDRO" script family.data | awk '/cpu-clock:/ { print $2 }' | sort -u >sampled
	# Of the processes that worked for some milliseconds.
	awk '$2 >= 120 { print $1 }' brief | sort >worked
	[ "$(wc -l <worked)" -gt 5 ]
	expect_equal "not sampled" "$(comm -13 sampled worked)" ""
}

@test "a name that no process has is an error, with names that are near" {
	begin tree grandchild
	refuses "no process has the name '$FAMILY-chlid' (-p); did you mean $FAMILY-child?" -- \
		"$DENDRO" record -p "$FAMILY-chlid" -o x.data
	[ ! -e x.data ]
}

@test "a recording without samples explains that its process was idle and its child was not" {
	setsid sh -c "'$WORKLOADS/dispatch' 60 & exec sleep 1000" 3>&- &
	echo $! >pid
	wait_until is_there dispatch
	wait_until is_there sleep
	"$DENDRO" record -e cpu-clock -p "$(<pid)" -o x.data \
		"$ROOT/tests/cli/until_worked" 20 "$(pgrep -g "$(<pid)" dispatch)" 2>message
	cat message
	grep -F "no samples: process $(<pid) was idle (0.00 s of CPU time in " message
	grep -E "^dendro record: 1 process that it had started before, which used [0-9.]+ s of CPU time, is not recorded: -p $(<pid)\+ records it, too\.$" message
}
