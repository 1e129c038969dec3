# A recording in parts. The program has the recorder begin a part between its functions, so each part
# has the samples of one function, however slow the machine is.

# shellcheck disable=SC2164
load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	mkdir all newest phases
	(
		cd all
		"$DENDRO" record -e cpu-clock -F 997 --no-jitter --switch-output \
			--control fifo:control,answers -o parts.data -- \
			"$WORKLOADS/controlled" control answers snapshot dump snapshot snapshot \
			>answers.txt 2>summary.txt
	)
	(
		cd newest
		record parts.data --switch-output=1g --max-files 2 --control fifo:control,answers -- \
			"$WORKLOADS/controlled" control answers snapshot snapshot snapshot snapshot
	)
	(
		cd phases
		record parts.data --switch-output --control fifo:control,answers -- \
			"$WORKLOADS/controlled" control answers "phase one" snapshot phase snapshot
	)
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

functions_in() { # functions_in FILE [OPTION...]
	report_json "$@" --view functions --kernel none | jq -r '[.rows[] | select(.module == "controlled")
		| .name | select(. == ("before", "alpha", "beta", "third", "after"))] | sort | join(" ")'
}

@test "each part has the functions of its time, with their names" {
	local part
	local -a found=()
	for part in all/parts.data.*; do
		[[ $part =~ \.data\.20[0-9]{14}(-[0-9]+)?$ ]]
		found+=("$(functions_in "$part")")
	done
	expect_equal functions "${found[*]}" "before alpha beta third after"
	[ ! -e all/parts.data ]
	expect_equal answers "$(uniq -c <all/answers.txt | tr -d ' ')" 4ack
}

@test "a part has the mappings and names that its paths need" {
	local part
	for part in all/parts.data.*; do
		report_json "$part" >part.json
		jq -e '[.. | .name? // empty | select(test("no known mapping|no record introduced"))] == []' \
			part.json
		ask part.json '[nodes | select(.name == "main")] | length > 0' >main
		expect_equal main "$(<main)" true
	done
}

@test "the samples of all parts are those of the recording" {
	local part sum=0
	for part in all/parts.data.*; do
		sum=$((sum + $(report_json "$part" | jq '.metrics[0].samples')))
		# What was counted in a part is counted in no other.
		report_json "$part" | jq -e '.metrics[0] | .samples > 0'
	done
	expect_equal samples "$(grep -Eo '[0-9 ]+ samples' all/summary.txt | tr -dc 0-9)" $sum
	grep -q ' in 5 parts of parts.data, 0 lost ]' all/summary.txt
}

@test "only the newest parts are kept if their number is limited" {
	expect_equal files "$(find newest -name 'parts.data*' | wc -l)" 2
	local part
	local -a found=()
	for part in newest/parts.data.*; do
		found+=("$(functions_in "$part")")
	done
	expect_equal functions "${found[*]}" "third after"
}

@test "a phase goes on in the next part" {
	local part
	local -a parts=(phases/parts.data.*)
	expect_equal parts ${#parts[@]} 3
	expect_equal first "$(functions_in "${parts[0]}" --phase one)" alpha
	expect_equal second "$(functions_in "${parts[1]}" --phase one)" beta
	expect_equal all "$(functions_in "${parts[1]}")" "beta third"
	run "$DENDRO" report --phase one "${parts[2]}"
	[ "$status" -eq 1 ]
}

@test "perf reads each part" {
	need perf
	local part
	for part in all/parts.data.*; do
		perf script -i "$part" 2>/dev/null | grep -q controlled
	done
}

@test "SIGUSR2 ends a part, and processes that run already are in each" {
	"$WORKLOADS/dispatch" 600 &
	local pid=$!
	"$DENDRO" record -q -e cpu-clock -F 997 --switch-output=signal -o signal.data -p $pid &
	local recorder=$!
	wait_until catches_sigusr2 $recorder
	kill -USR2 $recorder
	wait_until parts_are 1
	wait_until [ -s signal.data ]
	kill -USR2 $recorder
	wait_until parts_are 2
	kill -INT $recorder
	wait $recorder || true
	kill $pid
	wait $pid || true
	expect_equal parts "$(find . -maxdepth 1 -name 'signal.data.*' | wc -l)" 3
}

# It is blocked, to be read from a descriptor.
catches_sigusr2() {
	local blocked
	blocked=$(awk '/^SigBlk:/ { print $2 }' "/proc/$1/status")
	[ $((0x$blocked >> 11 & 1)) -eq 1 ] && [ -s signal.data ]
}

parts_are() {
	[ "$(find . -maxdepth 1 -name 'signal.data.*' | wc -l)" -eq "$1" ]
}

@test "wrong uses are errors" {
	local options
	for options in "--switch-output=5" "--switch-output=x" "--switch-output=0s" "--max-files 3" \
		"--switch-output --max-files 0" "--switch-output -o -" "--switch-output -o a.cct" \
		"--switch-output --max-size 1M"; do
		# shellcheck disable=SC2086
		run "$DENDRO" record $options -- true
		expect_equal "status of $options" "$status" 129
	done
}
