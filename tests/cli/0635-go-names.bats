# Go programs without symbols: Go's own table has names, inlined functions and lines.

# shellcheck disable=SC2016,SC2164
load lib

SOURCE=$ROOT/tests/workloads/languages/go_names.go

setup_file() {
	load lib
	prepare make_recordings
}

build() { # build NAME [OPTION...]
	local name=$1
	shift
	HOME=$BATS_FILE_TMPDIR GOFLAGS='' go build "$@" -o "$name" "$SOURCE"
}

make_recordings() {
	need_events
	need go gcc strip
	cd "$BATS_FILE_TMPDIR"
	build whole
	build small -ldflags '-s -w'
	build pie -buildmode=pie -ldflags '-s -w'
	build external -buildmode=pie -ldflags '-s -w -linkmode=external'
	cp whole symbols
	strip --strip-debug symbols
	for program in whole small pie external symbols; do
		record $program.data -- ./$program 0.5 >out
		report_json $program.data --view functions >$program.functions
	done
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# The functions of module main that have at least 5 % of the cost, with their kinds.
functions_of() { # functions_of PROGRAM
	ask "$1.functions" '.metrics[0].total as $all
		| [.rows[] | select(.total[0] > $all / 20 and (.name | startswith("main.")))
			| "\(.name | sub("\\[.*\\]"; "[...]")) \(.kind)"] | sort | join(", ")'
}

# What the linker adds of C runs once, for a moment, and has no names where it was stripped.
@test "a stripped program shows the same functions as one with symbols, each in one row" {
	for program in small pie external symbols; do
		expect_equal "functions of $program" "$(functions_of $program)" "$(functions_of whole)"
		expect_equal "unnamed functions of $program" "$(ask $program.functions \
			'.metrics[0].total as $all | [.rows[] | select(.module == $m
				and .total[0] > $all / 100 and (.name | startswith($m + "+")))] | length' \
			--arg m $program)" 0
		expect_equal "what $program lacks" "$(ask $program.functions \
			'.metrics[0].total as $all
				| [.missing[] | select(.module == $m and .self[0] > $all / 100)] | length' \
			--arg m $program)" 0
	done
	expect_equal functions "$(functions_of small)" \
		'main.(*mixer).step inline, main.(*mixer).work user, main.fold[...] user, main.main user'
}

@test "paths of position-independent programs are complete with both linkers" {
	for program in pie external; do
		expect_at_least "paths of $program through main.main" \
			"$(total_of $program.functions main.main)" \
			"$(total_of $program.functions 'main.fold[...]')" 100
	done
}

@test "a stripped program has the lines of its source" {
	local line
	line=$(grep -n 'the inlined line' "$SOURCE" | cut -d: -f1)
	for program in whole small external; do
		report_json $program.data --view lines >$program.lines
		expect_equal "the inlined line of $program" "$(ask $program.lines \
			'[.rows[] | select(.line == $line and .name == "main.(*mixer).step" and (.file | endswith("/go_names.go")))]
				| length' --argjson line "$line")" 1
	done
	"$DENDRO" annotate 'main.(*mixer).work' small.data >annotated
	grep -q 'inlined from go_names.go:'"$line"' main.(\*mixer).step' annotated
	grep -q 'm.step() // the call' annotated
}

@test "an archive has the same names after the stripped program is deleted" {
	mkdir -p gone
	build gone/program -ldflags '-s -w'
	record gone.data -- gone/program 0.3 >out
	"$DENDRO" archive -q -o gone.archive gone.data
	for view in tree functions lines; do
		report_json gone.data --view $view >before.$view
	done
	rm -r gone
	mv gone.archive gone.data
	for view in tree functions lines; do
		report_json gone.data --view $view >after.$view
		cmp before.$view after.$view
	done
	[ "$(total_of after.functions 'main.(*mixer).step')" -gt 10 ]
}

# Small files are recorded whole, of large ones only the needed parts, among them Go's tables.
@test "a stripped program that is deleted before the recording ends has its names" {
	for size in +0 9M; do
		build passing -ldflags '-s -w'
		truncate -s $size passing
		record passing.data -- sh -c './passing 0.3; rm passing' >out
		report_json passing.data --view functions >passing.functions
		[ "$(total_of passing.functions 'main.(*mixer).step')" -gt 10 ]
		expect_equal "functions of $size" "$(functions_of passing)" "$(functions_of whole)"
	done
}
