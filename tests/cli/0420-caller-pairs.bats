# Each caller that paths have is one that the code can have: tests/oracle/caller_pairs.py decodes the
# call before each return address, and follows it to the callee. make accuracy does the same with the
# whole machine.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need python3 objdump
	[ "$(uname -m)" = x86_64 ] || skip "the judge decodes x86 code only"
	cd "$BATS_FILE_TMPDIR"
	for name in cxx signals recursion sorter threads; do
		record $name.data -- "$WORKLOADS/$name" 0.5 >/dev/null
		"$DENDRO" script $name.data >$name.script
	done
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
	judge=$ROOT/tests/oracle/caller_pairs.py
}

@test "every caller fits the code, in C and C++ with exceptions, signals, recursion and threads" {
	cat ./*.script >all
	show python3 "$judge" --assert <all
}

# refuses SCRIPT PATTERN : the judge does, and shows an example like this
refuses() {
	run python3 "$judge" --assert <"$1"
	[ "$status" -eq 1 ]
	grep -E "$2" <<<"$output"
}

@test "the judge sees that a caller was left out" {
	grep -v " catch_many" cxx.script >without
	refuses without "contradicting, by CFI: throw_from_below.*called from catch_[12]"
}

@test "the judge sees a caller that is not a return address" {
	sed -E "s/[0-9a-f]( catch_[12]\+)/0\1/" cxx.script >beside
	refuses beside "not after a call, by CFI: catch_many.*called from catch_[12]"
}
