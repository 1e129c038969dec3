# 32-bit programs on a 64-bit kernel: other registers, words of four bytes, and a separate vdso.

load lib

# Headers are searched after the 64-bit ones. gcc-multilib would install them, but removes the cross
# compilers.
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
	prepare make_recordings
}

make_recordings() {
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
	local -a links=()
	for name in {1..10}; do
		links+=(./exec_chain64 ./exec_chain32)
	done
	take chain "${links[@]}"
	take fixed setarch -R "${links[@]}"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "32 bits: two callers share 1:2, each path is exact" {
	expect_ratio dispatch dispatch_1 1 dispatch_2 2
	expect_below dispatch '^main dispatch_[12] worker$' worker 99
}

@test "32 bits: recursion keeps every level" {
	expect_every_level recursion
}

@test "32 bits: the interrupted function is the caller of a signal handler, in a static program too" {
	expect_below signals '^main interrupted_work [^ ]+ handle handler_work$' handler_work 95
	expect_below static '^main interrupted_work [^ ]+ handle handler_work$' handler_work 95
}

@test "32 bits: threads start at clone and reach their function" {
	local n
	n=$(ask threads.tree '[nodes | select(.name == "thread_main") | .total] | add | round')
	expect_at_least "below thread_main" "$n" "$(ask threads.tree '.metrics[0].samples')" 97
}

@test "32 bits: system calls are entered from the vdso, below the function that reads" {
	expect_ratio reader reader_1 1 reader_2 2
	local kernel right
	kernel=$(ask reader.tree 'samples_under(.kind == "kernel")')
	right=$(ask reader.tree '[nodes | select(.kind == "kernel" and .kinds[-2] != "kernel" and (from_main
		| test("^main reader_[12] read_once [^ ]*read __kernel_vsyscall "))) | .total] | add | round')
	expect_at_least "below read and __kernel_vsyscall" "$right" "$kernel" 98
}

@test "32 bits: callbacks of std::sort and exceptions share 1:2 by caller" {
	expect_ratio cxx 'sort_1()' 1 'sort_2()' 2
	expect_ratio cxx 'catch_1(unsigned int)' 1 'catch_2(unsigned int)' 2
}

@test "32 bits: a parent, its forked child and its execed child share 1:2:3" {
	expect_ratio forkexec parent_work 1 forked_work 2 execed_work 3
}

@test "a process that changes between 64 and 32 bits by exec is unwound in both" {
	expect_ratio chain work_of_32_bits 1 work_of_64_bits 1
	expect_below chain '^main work_of_64_bits$' work_of_64_bits 99
	expect_below chain '^main work_of_32_bits$' work_of_32_bits 99
}

# Without randomization a 32-bit stack ends at the end of the address space, and the copy is shorter
# than requested. Kernels write such copies with sizes that are not a multiple of 8, so that the next
# record is not aligned.
@test "32 bits: records after stacks at the end of the address space are read" {
	expect_ratio fixed work_of_32_bits 1 work_of_64_bits 1
	expect_below fixed '^main work_of_32_bits$' work_of_32_bits 99
}

@test "32 bits: at least 99 % of each program's samples end at the root" {
	local name
	for name in dispatch recursion signals static threads forkexec reader chain fixed; do
		show python3 "$ROOT/tests/oracle/outermost.py" --at-least 99 "$name.tree"
	done
	# 0.5 % of these are where libgcc has put the handler's registers over those of its callers.
	show python3 "$ROOT/tests/oracle/outermost.py" --at-least 98 cxx.tree
}
