# One program, built with several compilers, linkers and C libraries: all paths are found, and exact.

load lib

# build NAME COMPILER FLAGS... : tests/workloads/code.c
build() {
	local name=$1
	shift
	need "$1"
	"$@" -std=gnu17 -w -o "$name" "$ROOT/tests/workloads/code.c"
}

record_code() { # record_code NAME PROGRAM [ARG...] : leaves NAME.tree
	local name=$1
	shift
	"$DENDRO" record -q -e cpu-clock -F 4999 -o "$name.data" -- "$@"
	report_json "$name.data" >"$name.tree"
}

# Counts samples whose path from main on, or from its root on, matches.
samples_of() { # samples_of TREE PATTERN
	ask "$1" '[nodes | select(.name == "work" and ((from_main | test($pattern))
		or (.path[-3:] | join(" ") | test($pattern)))) | .total] | add // 0 | round' \
		--arg pattern "$2"
}

# Each way costs the same. Five standard errors, which one normal deviate in 1.7 million exceeds: there
# are 110 ways, with 50 to 75 samples each, whose upper tail is longer than the normal one.
expect_ways() { # expect_ways TREE PATTERN...
	local tree=$1 sum i
	shift
	local -a ways=("$@") counts=()
	for ((i = 0; i < $#; i++)); do
		counts[i]=$(samples_of "$tree" "${ways[i]}")
	done
	# Of all of them at once: samples differ in cost, and ten roundings would add up.
	sum=$(samples_of "$tree" "$(IFS="|" && echo "$*")")
	expect_at_least "$tree: samples in known paths" "$sum" \
		"$(ask "$tree" 'samples_under(.name == "work")')" 100
	for ((i = 0; i < $#; i++)); do
		awk -v what="$tree: ${ways[i]}" -v count="${counts[i]}" -v n="$sum" -v k="$#" 'BEGIN {
			error = sqrt(1 / k * (1 - 1 / k) / n)
			printf "%s: %d of %d, expected one in %d\n", what, count, n, k
			exit !(n > 0 && count / n > 1 / k - 5 * error && count / n < 1 / k + 5 * error)
		}'
	done
}

WAYS=(
	'^main via_registers work$'
	'^main via_realigned work$'
	'^main via_alloca work$'
	'^main via_pages work$'
	'^main via_arguments seven work$'
	'^main( via_tail)? tail_target work$'
	'^main via_cold_part cold_work work$'
	'^main via_jump via_last_call work_and_jump work$'
	'^main via_handler ([^ ]+ )+on_signal work$'
)
COROUTINE='(__start_context|libc\.so\.6\+0x[0-9a-f]+) coroutine work$'

# check NAME COMPILER FLAGS...
check() {
	cd "$BATS_TEST_TMPDIR"
	build "$@"
	record_code "$1" "./$1" 0.3
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99.9 --with-memory "$1.tree"
	expect_ways "$1.tree" "${WAYS[@]}" "$COROUTINE"
}

setup() {
	need_events
}

@test "gcc without optimization" { check gcc-O0 gcc -O0; }
@test "gcc -O1, no PLT" { check gcc-O1 gcc -O1 -fno-plt; }
@test "gcc -O3 with LTO and control-flow protection" {
	check gcc-O3 gcc -O3 -flto -fcf-protection=full
}
@test "gcc -O2 with stack clash protection, not relocatable" {
	check gcc-clash gcc -O2 -fstack-clash-protection -no-pie
}
@test "gcc, static" { check gcc-static gcc -O2 -static; }
@test "gcc, static and relocatable" { check gcc-static-pie gcc -O2 -static-pie; }
@test "clang without optimization" { check clang-O0 clang -O0; }
@test "clang -O2, no frame pointer, no PLT" {
	check clang-O2 clang -O2 -fomit-frame-pointer -fno-plt
}
@test "clang -O3 with LTO and stack clash protection" {
	check clang-O3 clang -O3 -flto -fstack-clash-protection
}
@test "clang, static and relocatable" { check clang-static-pie clang -O2 -static-pie; }

@test "stripped: with and without .symtab the paths are the same, by address" {
	need strip nm
	cd "$BATS_TEST_TMPDIR"
	build full gcc -O2
	strip -o stripped full
	record_code stripped ./stripped 0.3
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99.9 --with-memory stripped.tree
	nm full >symbols
	python3 "$ROOT/tests/oracle/name_stripped.py" stripped symbols <stripped.tree >named.tree
	expect_ways named.tree "${WAYS[@]}" "$COROUTINE"
}

# The callers of libgcc's functions that install a landing pad's registers cannot be known.
@test "C++ exceptions while they are thrown: dynamic, static and by clang" {
	need clang++
	cd "$BATS_TEST_TMPDIR"
	g++ -O2 -w -o thrown "$ROOT/tests/workloads/cxx.cpp"
	g++ -O2 -static -w -o thrown-static "$ROOT/tests/workloads/cxx.cpp"
	clang++ -Os -fomit-frame-pointer -w -o thrown-clang "$ROOT/tests/workloads/cxx.cpp"
	local name one two
	for name in thrown thrown-static thrown-clang; do
		record_code $name ./$name 0.6
		show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99.5 --with-memory $name.tree
		report_json $name.data --view functions >$name.functions
		one=$(total_of $name.functions 'catch_1(unsigned int)')
		two=$(total_of $name.functions 'catch_2(unsigned int)')
		[ "$one" -gt 0 ] && [ "$two" -gt "$one" ]
	done
}
