# A recording that is controlled by words. The program and the recorder shake hands, so samples are
# in the functions that ran while the events were enabled, however slow the machine is.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record controlled.data -D -1 --control fifo:control,answers -- \
		"$WORKLOADS/controlled" control answers enable disable enable disable >controlled.out
	record phases.data --control fifo:control,answers -- \
		"$WORKLOADS/controlled" control answers "phase one" "phase two" "phase a b" phase
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

functions_in() { # functions_in FILE [OPTION...]
	report_json "$@" --view functions --kernel none | jq -r '[.rows[] | select(.module == "controlled")
		| .name | select(. == ("before", "alpha", "beta", "third", "after"))] | sort | join(" ")'
}

# ask_recorder WORD... : the answers, without their NULs, through descriptors 8 and 9
ask_recorder() {
	local answer
	printf '%s\n' "$*" >&8
	read -r -u 9 -t 60 -d '' answer
	printf '%s\n' "$answer"
}

# start_recorder FILE [OPTION...] : in the background, its number is in $recorder; it obeys
start_recorder() {
	rm -f words said
	mkfifo words said
	exec 8<>words 9<>said
	"$DENDRO" record -q -e cpu-clock -F 997 --control fifo:words,said -o "$@" 8>&- 9>&- &
	recorder=$!
	expect_equal ping "$(ask_recorder ping)" ack
}

@test "functions that run while events are disabled have no samples" {
	expect_equal functions "$(functions_in controlled.data)" "alpha third"
	expect_equal answers "$(uniq -c <controlled.out | tr -d ' ')" 4ack
	[ ! -e control ] && [ ! -e answers ]
}

@test "phases begin by a word" {
	expect_equal one "$(functions_in phases.data --phase one)" alpha
	expect_equal two "$(functions_in phases.data --phase two)" beta
	expect_equal ab "$(functions_in phases.data --phase 'a b')" third
	expect_equal all "$(functions_in phases.data)" "after alpha before beta third"
}

@test "words of perf are answered as perf answers them, and others say what is wrong" {
	start_recorder words.data -- sleep 600
	expect_equal evlist "$(ask_recorder evlist)" "cpu-clock
ack"
	[[ $(ask_recorder snapshot) == "error: "*"one file"* ]]
	[[ $(ask_recorder enable nosuch) == "error: not a word"* ]]
	[[ $(ask_recorder bogus) == "error: not a word"* ]]
	expect_equal phase "$(ask_recorder phase "a b")" ack
	expect_equal stop "$(ask_recorder stop)" ack
	wait $recorder || true
	run "$DENDRO" report --phase nosuch words.data
	[[ $output == *"  a b" ]]
}

@test "a recorder that was attached to a process leaves it as it was" {
	"$WORKLOADS/dispatch" 600 &
	local pid=$!
	start_recorder attached.data -p $pid
	# Until the recording has samples: the events of one function are enough.
	wait_until [ -s attached.data ]
	expect_equal disable "$(ask_recorder disable)" ack
	expect_equal enable "$(ask_recorder enable)" ack
	expect_equal stop "$(ask_recorder stop)" ack
	wait $recorder
	kill -0 $pid
	[ -z "$(find "/proc/$pid/fd" -lname '*perf_event*')" ]
	kill $pid
	wait $pid || true
	"$DENDRO" report attached.data >report.txt
}

@test "descriptors are taken, too, and the recording goes on when nobody can write any more" {
	mkfifo told heard
	exec 8<>heard
	"$DENDRO" record -q -e cpu-clock --control fd:0,8 -o fds.data -- \
		sh -c 'while [ ! -e go ]; do sleep 0.1; done' <told &
	local recorder=$!
	printf 'ping\n' >told
	local answer
	read -r -u 8 -t 60 -d '' answer
	expect_equal ping "$answer" ack
	touch go
	wait $recorder
	exec 8>&-
}

@test "wrong places and a delay without end are errors" {
	local where
	for where in 3 fd: fd:x fifo: fifo:a, fd:3,; do
		run "$DENDRO" record -o none.data --control "$where" -- true
		expect_equal "status of $where" "$status" 129
	done
	run "$DENDRO" record -e cpu-clock -o none.data --control fd:77 -- true
	expect_equal status "$status" 1
	[[ $output == *"descriptor 77 is not open"* ]]
	run "$DENDRO" record -e cpu-clock -o none.data --control fd:7 -- true 7<"$BATS_TEST_FILENAME"
	expect_equal status "$status" 1
	[[ $output == *"descriptor 7 is neither a pipe nor a socket"* ]]
	run "$DENDRO" record -o none.data -D -1 -- true
	expect_equal status "$status" 129
	[[ $output == *"add --control."* ]]
	[ ! -e none.data ]
}
