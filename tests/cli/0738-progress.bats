# Long work shows on a terminal how far it has come, and leaves nothing there. The recording comes
# through a pipe whose writer waits until progress was shown, so that the work is as long as needed.

load lib

setup_file() {
	load lib
	prepare make_recording
}

make_recording() {
	need_events
	need_terminal
	cd "$BATS_FILE_TMPDIR"
	record - -- "$WORKLOADS/dispatch" 0.3 >piped.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
	rm -f fifo
	mkfifo fifo
}

# shows TEXT COMMAND... : runs the command on a terminal, whose output is in `screen`, and feeds the
# pipe when the text is there. The pipe is open for reading here, too, so that feeding it never fails;
# it holds less than the recording has, so once that is fed the command reads.
shows() {
	local text=$1
	shift
	rm -f screen
	PAGER=cat TERM=xterm script -qefc "$*" screen >/dev/null </dev/null 3>&- &
	local terminal=$!
	exec 4<>fifo
	wait_until grep -qF "$text" screen
	cat piped.data >&4
	exec 4>&-
	wait $terminal
}

# What is left on the screen after the line was erased for the last time.
left() {
	sed 's/.*\r\x1b\[K//' screen | tr -d '\r'
}

@test "report, build, export and diff show it, and erase it at the end" {
	shows 'dendro report: reading' "$DENDRO" report --view functions fifo
	left | grep -q worker
	lacks 'reading' <(left)
	shows 'dendro build: reading' "$DENDRO" build -o built.cct fifo
	lacks 'reading' <(left)
	shows 'dendro export: reading' "$DENDRO" export -f folded -o folded fifo
	lacks 'reading' <(left)
	grep -q ';worker ' folded
	shows 'dendro diff: reading' "$DENDRO" diff --view functions fifo piped.data
	left | grep -q before
	lacks 'reading' <(left)
}

# The pipe, of a page, holds less than the trace has, so export waits for a reader.
@test "export shows how far the writing is, and erases it at the end" {
	need python3
	exec 4<>fifo
	python3 -c 'import fcntl; fcntl.fcntl(4, 1031, 4096)' # F_SETPIPE_SZ
	rm -f screen
	PAGER=cat TERM=xterm script -qefc "$DENDRO export -f chrome piped.data >fifo" screen \
		>/dev/null </dev/null 3>&- 4>&- &
	local terminal=$!
	wait_until grep -qF 'dendro export: writing' screen
	cat <&4 >trace 3>&- &
	local reader=$!
	wait $terminal
	kill $reader
	exec 4>&-
	lacks 'writing' <(left)
}

@test "merge shows the files, and the numbers are the same" {
	"$DENDRO" build -o one.cct piped.data
	shows 'dendro merge: adding up' "$DENDRO" merge -o sum.cct one.cct fifo
	lacks 'adding up' <(left)
	expect_equal samples "$(report_json sum.cct | jq '.metrics[0].samples')" \
		"$((2 * $(report_json piped.data | jq '.metrics[0].samples')))"
}

@test "nothing is shown where standard error is no terminal, or one that cannot erase" {
	"$DENDRO" report fifo >report 2>errors &
	local reader=$!
	exec 4<>fifo
	sleep 1
	cat piped.data >&4
	exec 4>&-
	wait $reader
	expect_equal "standard error" "$(cat errors)" ""
	PAGER=cat TERM=dumb script -qefc "$DENDRO report fifo" screen >/dev/null </dev/null 3>&- &
	local terminal=$!
	exec 4<>fifo
	sleep 1
	cat piped.data >&4
	exec 4>&-
	wait $terminal
	lacks 'reading' screen
}
