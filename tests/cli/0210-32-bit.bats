# 32-bit programs on a 64-bit kernel: their own registers, words of four bytes, a vdso of their own.

load lib

# Headers behind the 64-bit ones: gcc-multilib would bring them, and remove the cross compilers.
M32="-m32 -idirafter /usr/include/x86_64-linux-gnu"

build() { # build COMPILER NAME [OPTION...]: tests/workloads/NAME -> NAME without its ending
	local compiler=$1 name=$2
	shift 2
	# shellcheck disable=SC2086
	"$compiler" $M32 -D_GNU_SOURCE -O2 -fomit-frame-pointer "$@" -o "${name%.*}" \
		"$ROOT/tests/workloads/$name" -lpthread -ldl
}

setup_file() {
	load lib
	need_events
	[ "$(uname -m)" = x86_64 ] || skip "not an x86-64 kernel"
	need gcc g++
	cd "$BATS_FILE_TMPDIR"
	build gcc exec_chain.c 2>build.errors && build g++ cxx.cpp 2>>build.errors ||
		skip "32-bit programs can't be built here (lib32stdc++-12-dev, libc6-dev-i386)"
	./exec_chain || skip "this kernel runs no 32-bit programs"
	mv exec_chain exec_chain32
	gcc -D_GNU_SOURCE -O2 -o exec_chain64 "$ROOT/tests/workloads/exec_chain.c"
	local name
	for name in dispatch recursion signals threads forkexec reader; do
		build gcc "$name.c"
	done
	for name in dispatch recursion signals threads forkexec reader cxx; do
		take "$name" "./$name" 2
	done
	build gcc signals.c -static
	take static ./signals 2
	take chain ./exec_chain64 ./exec_chain32 ./exec_chain64 ./exec_chain32
	take fixed setarch -R ./exec_chain32 ./exec_chain64 ./exec_chain32 ./exec_chain64
}

take() { # take NAME COMMAND...
	local name=$1
	shift
	record "$name.data" -- "$@" >"$name.out"
	report_json "$name.data" >"$name.tree"
	report_json "$name.data" --view functions >"$name.functions"
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

expect_thirds() { # expect_thirds NAME FUNCTION FUNCTION: 1:2
	local one two
	one=$(total_of "$1.functions" "$2")
	two=$(total_of "$1.functions" "$3")
	expect_share "$2" "$one" $((one + two)) 1 3
}

# below NAME PATTERN FUNCTION PERCENT: the share of a function's samples under such a path
below() {
	local all right
	all=$(ask "$1.tree" '[nodes | select(.name == $f) | .total] | add // 0 | round' --arg f "$3")
	right=$(ask "$1.tree" '[nodes | select(.name == $f and (from_main | test($p))) | .total]
		| add // 0 | round' --arg f "$3" --arg p "$2")
	expect_at_least "$3 below $2" "$right" "$all" "$4"
}

@test "32 bits: two callers share 1:2, each path is exact" {
	expect_thirds dispatch dispatch_1 dispatch_2
	below dispatch '^main dispatch_[12] worker$' worker 99
}

@test "32 bits: recursion keeps every level" {
	local deepest
	deepest=$(ask recursion.tree '[nodes | select(.name == "deepest_work") | from_main] | unique | .[]')
	echo "$deepest"
	grep -qx "main\( recurse\)\{50\} deepest_work" <<<"$deepest"
	grep -qx "main\( even odd\)\{25\} deepest_work" <<<"$deepest"
	grep -qx "main plain deepest_work" <<<"$deepest"
	expect_equal "distinct paths" "$(wc -l <<<"$deepest")" 3
}

@test "32 bits: the interrupted function stands above the handler, in a static program too" {
	below signals '^main interrupted_work [^ ]+ handle handler_work$' handler_work 95
	below static '^main interrupted_work [^ ]+ handle handler_work$' handler_work 95
}

@test "32 bits: threads reach their function from their start" {
	local n
	n=$(ask threads.tree '[nodes | select(.name == "thread_main") | .total] | add | round')
	expect_at_least "below thread_main" "$n" "$(ask threads.tree '.metrics[0].samples')" 97
}

@test "32 bits: system calls are entered from the vdso, below the function that reads" {
	expect_thirds reader reader_1 reader_2
	local kernel right
	kernel=$(ask reader.tree 'samples_under(.kind == "kernel")')
	right=$(ask reader.tree '[nodes | select(.kind == "kernel" and .kinds[-2] != "kernel" and (from_main
		| test("^main reader_[12] read_once [^ ]*read __kernel_vsyscall "))) | .total] | add | round')
	expect_at_least "below read and __kernel_vsyscall" "$right" "$kernel" 98
}

@test "32 bits: callbacks of std::sort and exceptions share 1:2 by caller" {
	expect_thirds cxx sort_1 sort_2
	expect_thirds cxx catch_1 catch_2
}

@test "32 bits: a parent, its forked child and its execed child share 1:2:3" {
	local one two three
	one=$(total_of forkexec.functions parent_work)
	two=$(total_of forkexec.functions forked_work)
	three=$(total_of forkexec.functions execed_work)
	expect_share parent_work "$one" $((one + two + three)) 1 6
	expect_share forked_work "$two" $((one + two + three)) 2 6
}

@test "a process that changes between 64 and 32 bits by exec is unwound in both" {
	local wide narrow
	wide=$(total_of chain.functions work_of_64_bits)
	narrow=$(total_of chain.functions work_of_32_bits)
	expect_share work_of_32_bits "$narrow" $((wide + narrow)) 1 2
	below chain '^main work_of_64_bits$' work_of_64_bits 99
	below chain '^main work_of_32_bits$' work_of_32_bits 99
}

# Without randomization a 32-bit stack ends at the end of the address space, nearer than a copy is
# long: kernels write such copies with sizes that are no multiple of 8, and records out of step.
@test "32 bits: stacks at the end of the address space put no record out" {
	local wide narrow
	wide=$(total_of fixed.functions work_of_64_bits)
	narrow=$(total_of fixed.functions work_of_32_bits)
	expect_share work_of_32_bits "$narrow" $((wide + narrow)) 1 2
	below fixed '^main work_of_32_bits$' work_of_32_bits 99
}

@test "32 bits: at least 99 % of each program's samples end at the root" {
	local name
	for name in dispatch recursion signals static threads forkexec reader chain fixed; do
		show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99 "$name.tree"
	done
	# 0.5 % of these are where libgcc has put the handler's registers over those of its callers.
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 98 cxx.tree
}
