# Costs by source line: shares known by construction.

load lib

setup_file() {
	load lib
	prepare make_recordings
}

make_recordings() {
	need_events
	need gcc
	cd "$BATS_FILE_TMPDIR"
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -o hot "$SOURCE"
	record hot.data -- ./hot 2
	report_json hot.data --view lines --kernel none >hot.lines
}

SOURCE=$ROOT/tests/workloads/hot_line.c

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

line_of() { # line_of COMMENT
	grep -n "/\* the $1 \*/" "$SOURCE" | cut -d: -f1
}

samples_of_line() { # samples_of_line KEY COMMENT : self or total
	ask hot.lines 'weight_per_sample as $w
		| [.rows[] | select(.file == $file and .line == $line)[$key][0]] | add // 0 | . / $w | round' \
		--arg key "$1" --arg file "$SOURCE" --argjson line "$(line_of "$2")"
}

@test "the own cost of a line is that of its code, inlined or not" {
	local all
	all=$(ask hot.lines '.quality.samples')
	expect_at_least "samples in the three lines" $(($(samples_of_line self "hot line") +
		$(samples_of_line self "cold line") + $(samples_of_line self "inlined line"))) "$all" 95
	expect_share "hot line" "$(samples_of_line self "hot line")" "$all" 3 5
	expect_share "cold line" "$(samples_of_line self "cold line")" "$all" 1 5
	expect_share "inlined line" "$(samples_of_line self "inlined line")" "$all" 1 5
}

@test "the total of an inlined call's line includes the inlined code" {
	expect_equal self "$(samples_of_line self "line of the call")" 0
	expect_equal total "$(samples_of_line total "line of the call")" \
		"$(samples_of_line total "inlined line")"
	expect_equal function "$(ask hot.lines '.rows[] | select(.line == $line and .file == $file) | .name' \
		--argjson line "$(line_of "inlined line")" --arg file "$SOURCE")" inlined_loop
}

@test "rows of lines add up, and code without lines has a row with its function" {
	jq -e '([.rows[].self[0]] | add) == .metrics[0].total' hot.lines
	jq -e '[.rows[] | select(.name == "_start" and .module == "hot" and (has("line") | not))] | length == 1' hot.lines
}

@test "without inlined functions their cost is the own cost of the call's line" {
	report_json hot.data --view lines --no-inline --kernel none >plain.lines
	expect_equal self "$(jq --argjson line "$(line_of "line of the call")" --arg file "$SOURCE" \
		'.rows[] | select(.line == $line and .file == $file).self[0]' plain.lines)" \
		"$(jq --argjson line "$(line_of "inlined line")" --arg file "$SOURCE" \
		'.rows[] | select(.line == $line and .file == $file).self[0]' hot.lines)"
	jq -e '([.rows[].self[0]] | add) == .metrics[0].total' plain.lines
}

@test "text shows the end of a file's path, and CSV the whole path" {
	"$DENDRO" report --view lines --color never hot.data | tee text
	grep -Eq "hot_line\.c:$(line_of "hot line") +hot +hot\$" text
	grep -Eq '\[no line\] +_start +hot$' text
	"$DENDRO" report --view lines --format csv hot.data |
		grep -q "^1,\"hot\",\"hot\",user,,\"$SOURCE\",$(line_of "hot line"),"
	grep -n "^" text | grep -q "hot_line"
}

@test "lines are sorted by own cost, or as requested" {
	expect_equal "first row" "$(jq '.rows[0].line' hot.lines)" "$(line_of "hot line")"
	expect_equal "order of lines" "$(report_json hot.data --view lines --sort name |
		jq --arg file "$SOURCE" '[.rows[] | select(.file == $file).line] | . == sort')" true
}

@test "perf finds the same lines" {
	need perf
	record plain.data -z 0 -- ./hot 1
	report_json plain.data --view lines >plain.lines
	timeout 60 perf report -i plain.data --stdio --no-children -g none --sort srcline \
		--percent-limit 0 --full-source-path 2>perf.err >perf.out || skip "perf report failed: $(<perf.err)"
	grep -q 'hot_line\.c' perf.out || skip "perf has no source lines"
	local line ours theirs
	for line in "hot line" "cold line"; do
		theirs=$(awk -v at="hot_line.c:$(line_of "$line")" \
			'index($0, at) { sub("%", "", $1); sum += $1 } END { print sum }' perf.out)
		ours=$(jq -r --argjson line "$(line_of "$line")" --arg file "$SOURCE" '.metrics[0].total as $all
			| [.rows[] | select(.file == $file and .line == $line).self[0]] | add / $all * 100' plain.lines)
		echo "$line: perf $theirs %, dendro $ours %"
		awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(a - b < 0.1 && b - a < 0.1) }'
	done
}
