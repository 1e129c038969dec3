# perf as an oracle: both unwind the user frames of one recording. Each program is run directly,
# because perf cuts nearly all stacks after a second exec in a recording.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need perf python3 sqlite3 git g++
	cd "$BATS_FILE_TMPDIR"
	g++ -std=c++17 -E "$ROOT/tests/workloads/templates.cpp" -o templates.ii
	git init -q -b main history
	python3 "$ROOT/tests/workloads/make_history.py" 4000 | git -C history fast-import --quiet
	cp "$ROOT/tests/workloads/queries.sql" .
}

setup() {
	skip_unprepared
	need perf
	cd "$BATS_FILE_TMPDIR"
}

python() {
	python3 -c 'import os, sys; print(os.path.realpath(sys.executable))'
}

# agrees NAME COMMAND... : records and compares; at least 99 % of the samples have the same frames and
# end at the root
agrees() {
	local name=$1
	shift
	record "$name.data" -z 0 -- "$@" >"$name.out"
	perf script -i "$name.data" --no-inline --max-stack 4000 >"$name.perf" 2>"$name.errors"
	"$DENDRO" script "$name.data" >"$name.dendro"
	report_json "$name.data" >"$name.tree"
	[ "$(ask_count "$name")" -gt 200 ]
	show python3 "$ROOT/tests/oracle/compare_perf.py" --at-least 99 "$name.perf" "$name.dendro"
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99 "$name.tree"
}

# Deep trees exceed jq's limit of nesting.
ask_count() {
	report_json "$1.data" --view functions | jq '.metrics[0].samples'
}

@test "python3: frames agree with perf's, samples end at the root" {
	agrees python3 "$(python)" "$ROOT/tests/workloads/json_re.py" 3
}

@test "cc1plus: frames agree with perf's, samples end at the root" {
	agrees cc1plus "$(g++ -print-prog-name=cc1plus)" -quiet -O2 templates.ii -o /dev/null
}

@test "sqlite3: frames agree with perf's, samples end at the root" {
	agrees sqlite3 "$(command -v sqlite3)" :memory: ".read queries.sql"
}

@test "git: frames agree with perf's, samples end at the root" {
	agrees git "$(command -v git)" -C history log -p --stat main
}

# The stacks that perf cuts after a second exec must not be cut here.
complete_under() { # complete_under NAME [--with-memory] COMMAND...
	local name=$1 which=()
	shift
	[ "$1" != --with-memory ] || { which=("$1") && shift; }
	record "$name.data" -- env -u MAKEFLAGS -u MAKELEVEL "$@" >"$name.out" 2>&1
	report_json "$name.data" >"$name.tree"
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99 "${which[@]}" "$name.tree"
}

@test "samples end at the root under sh -c" {
	complete_under sh sh -c "$(python) $ROOT/tests/workloads/json_re.py 1; sqlite3 :memory: '.read queries.sql'"
}

@test "samples end at the root under make and g++" {
	need make
	printf '.PHONY: all\nall: a.o b.o\n%%.o: templates.ii\n\tg++ -O1 -c -o $@ $<\n' >Makefile
	complete_under make make -s
}

# How long the kernel is busy with seven execs, in which there is no user memory, depends on the
# machine: these samples do not count.
@test "samples end at the root along a chain of execs" {
	complete_under chain --with-memory env nice setsid -w sh -c \
		"exec env sh -c 'exec $(python) $ROOT/tests/workloads/json_re.py 1'"
}

# These processes spend much of their life in exec and exit, without user memory, and in page faults
# on a stack that is just being made. How much depends on the machine and its load, so these samples
# do not count; but all without a stack must be such faults.
@test "samples end at the root where many short processes run" {
	record short.data -F 3997 -- sh -c 'i=0; while [ $i -lt 300 ]; do git --version; i=$((i+1)); done' \
		>short.out
	report_json short.data >short.tree
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99.9 --with-memory short.tree
	[ "$(id -u)" -eq 0 ] || return 0 # the kernel's part is not shown to others
	! has_unseen_faults || return 0
	"$DENDRO" script short.data | awk -v RS= '/\[no user stack recorded\]/ && !/page_fault/' >others
	expect_equal "without a stack, and not in a page fault" "$(cat others)" ""
}
