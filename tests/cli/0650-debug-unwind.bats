# dendro debug-unwind: the summary has the report's counts, and a listing has the frames of dendro
# script.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	cd "$BATS_FILE_TMPDIR"
	record signals.data -- "$WORKLOADS/signals" 1
	"$DENDRO" script signals.data >signals.script
	"$DENDRO" debug-unwind signals.data >signals.summary
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# The number in the line of the summary with that name.
counted() {
	awk -v name="$1" 'index($0, name) && match($0, / [0-9]+ /) { print $0 }' signals.summary |
		sed -E 's/.*[^0-9]([0-9]+) +[0-9.]+ %.*/\1/'
}

# The first sample in the line of the summary with that name.
example() {
	sed -nE "s/^  $1 .* sample ([0-9]+).*/\1/p" signals.summary
}

# File offsets of the user frames of sample N, as script lists them.
script_frames() {
	awk -v n="$1" 'BEGIN { RS = ""; FS = "\n" }
		NR == n { for (i = 2; i <= NF; i++) print $i }' signals.script |
		awk '$NF !~ /kernel/ && $1 != "0" { print $1 }'
}

listed_frames() {
	"$DENDRO" debug-unwind --sample "$1" signals.data |
		sed -nE 's/^#[0-9]+ +[0-9a-f]+  [^ ]*\+0x([0-9a-f]+).*/\1/p'
}

@test "the summary has the same numbers of samples and complete samples as the report" {
	local quality
	quality=$(report_json signals.data | jq .quality)
	cat signals.summary
	expect_equal samples "$(sed -nE 's/^samples: ([0-9]+),.*/\1/p' signals.summary)" \
		"$(jq .samples <<<"$quality")"
	expect_equal complete "$(counted '  complete ')" "$(jq .unwind.complete <<<"$quality")"
}

@test "walks that repeat others have the same results as whole walks" {
	grep -A 5 '^repeated: ' signals.summary
	[ "$(counted '  frames that repeat')" -gt 0 ]
	! grep 'walks that differ' signals.summary || false
}

@test "a listing has the same frames as dendro script" {
	local number
	for number in $(example complete) $(example "signal frame"); do
		[ -n "$(script_frames "$number")" ]
		diff <(script_frames "$number") <(listed_frames "$number")
	done
}

@test "a listing has rules, CFAs, registers and the reason for the end" {
	local number
	number=$(example "signal frame")
	"$DENDRO" debug-unwind --sample "$number" signals.data >listing
	cat listing
	grep -q "^sample $number: signals, process " listing
	grep -q 'rule  .*\.eh_frame: CFA = rsp + ' listing
	grep -q 'rule  .*: signal frame; CFA = ' listing
	grep -q 'CFA  .*[0-9a-f]\{12\}$' listing
	grep -q 'caller .* pc [0-9a-f]* ' listing
	grep -qF 'end: [the outermost frame]' listing
}

@test "a sample is found by number, by time, and by thread" {
	local time tid
	"$DENDRO" debug-unwind --sample 9 signals.data >by-number
	time=$(sed -nE 's/^sample .*, ([0-9.]+) s, .*/\1/p' by-number)
	tid=$(sed -nE 's/^sample .* thread ([0-9]+),.*/\1/p' by-number)
	"$DENDRO" debug-unwind --time "$time" --tid "$tid" signals.data | diff by-number -
}

@test "an exported case has the same walk without the machine, and does not contain its folders" {
	local number folder
	[ -x "$ROOT/build/tests/unit/unwind/walk/test_unwind_cases" ] || skip "the unit tests are not built"
	mkdir cases
	for number in $(example complete) $(example "signal frame"); do
		"$DENDRO" debug-unwind --sample "$number" --export "cases/$number" signals.data
	done
	DENDRO_CASES=cases "$ROOT/build/tests/unit/unwind/walk/test_unwind_cases"
	for folder in cases/*; do
		grep -q '^frame ' "$folder/case"
		lacks / "$folder/case"
	done
	refuses "exists" -- "$DENDRO" debug-unwind --sample "$number" --export cases signals.data
}

# The first samples whose listings contain that text.
listed_with() { # listed_with TEXT FILE
	local number
	for number in $(seq 1 60); do
		! "$DENDRO" debug-unwind --sample "$number" "$2" | grep -q "$1" || echo "$number"
	done | head -n 3
}

@test "a case contains the memory beyond the copy that its walk read" {
	local number
	[ -x "$ROOT/build/tests/unit/unwind/walk/test_unwind_cases" ] || skip "the unit tests are not built"
	record beyond.data --stack-size 1024 --deep-stacks -- "$WORKLOADS/recursion" 0.3
	record elsewhere.data -- "$WORKLOADS/altstack" 0.3 long
	mkdir memory
	for number in $(listed_with stitched beyond.data); do
		"$DENDRO" debug-unwind --sample "$number" --export "memory/beyond-$number" beyond.data
	done
	for number in $(listed_with stitched elsewhere.data); do
		"$DENDRO" debug-unwind --sample "$number" --export "memory/elsewhere-$number" \
			elsewhere.data
	done
	[ -n "$(ls memory)" ] || skip "nothing was recorded beyond the copies"
	DENDRO_CASES=memory "$ROOT/build/tests/unit/unwind/walk/test_unwind_cases"
	grep -hE '^(rest|context|second) ' memory/*/case
}

@test "a sample that does not exist is refused" {
	refuses "no such sample" -- "$DENDRO" debug-unwind --sample 100000000 signals.data
	refuses "no such sample" -- "$DENDRO" debug-unwind --tid 1 signals.data
	refuses "0" -- "$DENDRO" debug-unwind --sample 0 signals.data
	refuses "x" -- "$DENDRO" debug-unwind --time x signals.data
	refuses "No such file" -- "$DENDRO" debug-unwind no-such-file
	refuses "twice" -- "$DENDRO" debug-unwind -
}
