# Files whose path does not exist, or leads to another file, when the recording is read.

load lib

setup() {
	need_events
	need_root
	cd "$BATS_TEST_TMPDIR"
	cp "$WORKLOADS/dispatch" program
}

# A shell's child runs the shell's code before it calls exec.
# shellcheck disable=SC2016
UNTIL_IT_RUNS='until [ "$(cat /proc/$!/comm)" = program ]; do sleep 0.1; done'

# Both callers are named, in the right ratio, and the paths are complete.
check_named() {
	report_json gone.data --view functions >functions
	report_json gone.data >tree
	local one two
	one=$(total_of functions dispatch_1)
	two=$(total_of functions dispatch_2)
	[ $((one + two)) -gt 400 ]
	expect_share dispatch_1 "$one" $((one + two)) 1 3
	python3 "$ROOT/tests/oracle/outermost.py" --at-least 95 tree
}

@test "functions of a program that is deleted while it runs have names" {
	record gone.data -- sh -c "./program 2.5 & $UNTIL_IT_RUNS; rm program; wait"
	[ ! -e program ]
	check_named
}

@test "functions of a program that is replaced while it runs have the names of the old one" {
	record gone.data -- sh -c "./program 2.5 & $UNTIL_IT_RUNS; cp '$WORKLOADS/recursion' new; mv new program; wait"
	check_named
	expect_equal "functions of the new file" "$(total_of functions recurse)" 0
}

@test "functions of a program in a separate mount namespace have names" {
	need unshare
	unshare -m true || skip "no mount namespace may be made here"
	mkdir inside
	record gone.data -- unshare -m sh -c "mount -t tmpfs tmpfs inside && cp program inside && inside/program 1"
	[ ! -e inside/program ]
	check_named
}

@test "functions of a program that exists only in memory have names" {
	need python3
	cat >run.py <<-'PYTHON'
		import os, sys
		fd = os.memfd_create("program", 0)
		os.write(fd, open("program", "rb").read())
		os.execv(f"/proc/self/fd/{fd}", ["program", "1"])
	PYTHON
	record gone.data -- python3 run.py
	check_named
}

@test "a program that is deleted after the recording is shown as a module" {
	record gone.data -- ./program 1
	mv program moved
	run report_json gone.data --view functions
	[ "$status" -eq 0 ]
	# Nothing was captured, for the path was right at the time. The module is named, and
	# the report says why there are no names.
	"$DENDRO" report gone.data >text
	grep -q program text
}
