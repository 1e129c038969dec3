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

# blocks TEXT COMMAND : runs a command that writes into a pipe that is full, and reads that pipe when
# the text is there.
blocks() {
	rm -f screen
	exec 4<>fifo
	python3 -c 'import fcntl, os; os.write(4, bytes(fcntl.fcntl(4, 1031, 4096)))' # F_SETPIPE_SZ
	PAGER=cat TERM=xterm script -qefc "$2" screen >/dev/null </dev/null 3>&- 4>&- &
	local terminal=$!
	wait_until grep -qF "$1" screen
	cat <&4 >written 3>&- &
	local reader=$!
	wait $terminal
	kill $reader
	exec 4>&-
}

@test "export shows how far the writing is, and erases it at the end" {
	need python3
	# More than stdio's buffer and the pipe hold.
	record long.data -F 10000 -- "$WORKLOADS/dispatch" 2
	[ "$("$DENDRO" export -f chrome long.data | wc -c)" -gt 131072 ]
	blocks 'dendro export: writing' "$DENDRO export -f chrome long.data >fifo"
	lacks 'writing' <(left)
}

@test "what cannot be counted is shown with its time" {
	need python3
	blocks 'dendro report: writing, 1 s' "$DENDRO report --format json --min 0 piped.data >fifo"
	lacks 'writing' <(left)
	blocks 'dendro report: writing the page, ' "$DENDRO report --html - piped.data >fifo"
	lacks 'writing' <(left)
	blocks 'dendro diff: writing, ' "$DENDRO diff --format json --min 0 piped.data piped.data >fifo"
	lacks 'writing' <(left)
	blocks 'dendro diff: writing the page, ' "$DENDRO diff --html - piped.data piped.data >fifo"
	lacks 'writing' <(left)
	blocks 'dendro annotate: writing, ' "$DENDRO annotate --format json worker piped.data >fifo"
	lacks 'writing' <(left)
	blocks 'dendro build: writing, ' "$DENDRO build -o - piped.data >fifo"
	lacks 'writing' <(left)
}

@test "the reading of a profile is shown, too" {
	"$DENDRO" build -o one.cct piped.data
	exec 4<>fifo
	rm -f screen
	head -c 1000 one.cct >&4
	PAGER=cat TERM=xterm script -qefc "$DENDRO report - <fifo" screen >/dev/null </dev/null 3>&- 4>&- &
	local terminal=$!
	wait_until grep -qF 'dendro report: reading' screen
	tail -c +1001 one.cct >&4
	exec 4>&-
	wait $terminal
	left | grep -q worker
	lacks 'reading' <(left)
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
