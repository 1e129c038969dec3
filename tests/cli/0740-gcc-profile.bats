# Profiles for gcc -fauto-profile have known shares, or the counts of branches; gcc takes them and optimizes by
# them.

load lib
load line_profile

LINE_SOURCE=feedback.c
LINE_PROFILE=feedback.text

GCC=(gcc-12 -std=gnu17 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I "$BATS_TEST_DIRNAME/../workloads")
REBUILD=("${GCC[@]}" -g -fauto-profile=feedback.afdo)

setup_file() {
	load lib
	prepare make_profile
}

make_profile() {
	need_events
	need gcc-12 python3 jq
	cd "$BATS_FILE_TMPDIR" || return
	cp "$ROOT/tests/workloads/feedback.c" .
	"${GCC[@]}" -g -o feedback feedback.c
	record feedback.data -- ./feedback 3
	report_json feedback.data --view functions >functions.json
	"$DENDRO" export -f gcc-profile -o feedback.afdo feedback.data 2>notes
	"$ROOT/tests/oracle/gcc_profile.py" feedback.afdo >feedback.text
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

@test "branches have the shares by which they were taken" {
	local often seldom samples
	often=$(line_count choose '/* often')
	seldom=$(line_count choose '/* seldom')
	samples=$(total_of functions.json choose)
	expect_share choose $((samples * often / (often + seldom))) "$samples" 9 10
}

@test "what is inlined is below its call; recursion and the functions called are there" {
	lines_of outer
	lines_of outer | grep -q "^ $(offset_of outer inner): inner:$(head_of outer)$"
	lacks '^inner:' feedback.text
	lines_of recurse | grep -Eq "^ $(offset_of recurse '/* itself'): [0-9]+ recurse:[0-9]+$"
	lines_of call | grep -Eq "^ $(offset_of call '/* first'): [0-9]+ first:[0-9]+ second:[0-9]+$"
}

@test "gcc gives the blocks the counts of their lines" {
	local name
	"${REBUILD[@]}" -c -o rebuilt.o -fdump-ipa-afdo-blocks-details=dump feedback.c >warnings 2>&1
	expect_equal warnings "$(<warnings)" ""
	# The dump has the code of a function after its name, and the count of a block before its code.
	awk '/basic block/ { count = $9 } count && /# (often|seldom)/ { match($0, /# [a-z]+/)
		print substr($0, RSTART + 2, RLENGTH - 2), count }' dump | sort -u >blocks
	expect_equal blocks "$(<blocks)" "often $(line_count choose '/* often')
seldom $(line_count choose '/* seldom')"
	grep -Eq "basic block 2, .*count $(head_of outer) \(auto FDO\)" dump
}

@test "gcc lays out what is hot first" {
	cat >layout.c <<-'END'
		#define WORK(text) __asm__ volatile("# " text "\n.rept 500\nlea 1(%%rax), %%rax\n.endr" : : : "rax")
		char pick[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 0 };
		__attribute__((noipa)) void choose(unsigned i)
		{
			if (pick[i % 10] == 7)
				WORK("often");
			else
				WORK("seldom");
		}
		int main(void)
		{
			for (unsigned i = 0; i < 4000000; i++)
				choose(i);
		}
	END
	[ "$(uname -m)" = x86_64 ] || skip "its code is of x86-64"
	gcc-12 -O2 -g -o layout layout.c
	record layout.data -- ./layout
	"$DENDRO" export -f gcc-profile -o layout.afdo layout.data
	gcc-12 -O2 -g -S -o plain.s layout.c
	gcc-12 -O2 -g -S -fauto-profile=layout.afdo -o hot.s layout.c
	expect_equal "without a profile" "$(grep -oE '# (often|seldom)$' plain.s | tr -d '# ' | tr '\n' ' ')" "seldom often "
	expect_equal "with it" "$(grep -oE '# (often|seldom)$' hot.s | tr -d '# ' | tr '\n' ' ')" "often seldom "
}

@test "branches give the counts that they give for clang" {
	[ "$(uname -m)" = x86_64 ] || skip "steps are of x86-64 here"
	local level
	for level in O0 O1 O2 O3 Os; do
		gcc-12 -$level "-D__attribute__(x)=" -g -static -nostdlib -no-pie -fno-stack-protector -w -o steps \
			"$ROOT/tests/oracle/branch_program.c"
		python3 "$ROOT/tests/oracle/branch_paths.py" record-bare ./steps steps.data ||
			skip "programs cannot be stepped here"
		"$DENDRO" export -f gcc-profile -o steps.afdo steps.data 2>steps.notes
		"$DENDRO" export -f clang-profile -o steps.prof steps.data 2>/dev/null
		"$ROOT/tests/oracle/gcc_profile.py" steps.afdo >steps.text
		# Code of gcc has no discriminators of LLVM.
		cmp steps.text steps.prof
	done
	grep -q 'the counts are of [0-9]* stacks of branches' steps.notes
}

@test "without debug information nothing is written, and how to build is said" {
	"${GCC[@]}" -o bare feedback.c
	record bare.data -- ./bare 0.2
	mkdir -p "root$PWD"
	cp bare "root$PWD" # a library may have debug information
	refuses "no sample is in code with lines in debug information" "gcc -g" -- \
		"$DENDRO" export -f gcc-profile --symfs root -o bare.afdo bare.data
}
