# Profiles for clang by calling context have the counts of each context: llvm-profdata reads the same from them, and
# clang takes them.

load lib
load line_profile

# shellcheck disable=SC2034
LINE_SOURCE=contexts.c

CLANG=(clang-14 -std=gnu17 -D_GNU_SOURCE -O2 -g -Wno-unknown-attributes -I "$BATS_TEST_DIRNAME/../workloads")

setup_file() {
	load lib
	prepare make_profile
}

make_profile() {
	need_events
	need clang-14 llvm-profdata-14
	cd "$BATS_FILE_TMPDIR" || return
	# What choose() does depends on who calls it.
	cat >contexts.c <<-'END'
		#include "work.h"
		#define WORK(text) __asm__ volatile("# " text "\n.rept 500\nnop\n.endr" : : : "memory")
		FUNCTION void choose(unsigned i)
		{
			if (i)
				WORK("one"); /* one */
			else
				WORK("other"); /* other */
			KEEP_FRAME();
		}
		static inline void inlined(unsigned i)
		{
			choose(i); /* from inlined */
		}
		FUNCTION void first(void)
		{
			choose(1); /* from first */
			KEEP_FRAME();
		}
		FUNCTION void second(void)
		{
			inlined(0); /* from second */
			KEEP_FRAME();
		}
		FUNCTION void recurse(unsigned n)
		{
			WORK("recurse");
			if (n)
				recurse(n - 1);
			else
				choose(1); /* from recurse */
			KEEP_FRAME();
		}
		int main(int argc, char **argv)
		{
			struct rounds rounds = rounds_begin(argc, argv);
			for (unsigned n; (n = rounds_next(&rounds));)
				for (unsigned i = 0; i < n; i++) {
					first();
					second();
					recurse(5);
				}
			return 0;
		}
	END
	"${CLANG[@]}" -fdebug-info-for-profiling -o contexts contexts.c
	record contexts.data -- ./contexts 2
	"$DENDRO" export -f clang-context-profile -o contexts.prof contexts.data
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# lines_of CONTEXT : those of the function whose context ends so
lines_of() {
	awk -v context=" @ $1]:" '/^\[/ { is_in = index($0, context) } is_in' contexts.prof
}

has_line() { # has_line CONTEXT TEXT
	lines_of "$1" | grep -Eq "^ $(offset_of choose "$2")(\.[0-9]+)?: [1-9]"
}

@test "a function has in each context what it does there, what is inlined has one, too" {
	local first second
	first="first:$(offset_of first '/* from first') @ choose"
	second="second:$(offset_of second '/* from second') @ inlined:$(offset_of inlined '/* from inlined') @ choose"
	cat contexts.prof
	has_line "$first" "/* one"
	has_line "$second" "/* other"
	! has_line "$first" "/* other" || false
	! has_line "$second" "/* one" || false
}

@test "recursion does not make contexts" {
	expect_equal contexts "$(grep -c '@ recurse\]:' contexts.prof)" 1
	lacks 'recurse:[0-9.]* @ recurse' contexts.prof
	has_line "recurse:$(offset_of recurse '/* from recurse') @ choose" "/* one"
}

@test "calls have the entries of what they call" {
	local head
	head=$(lines_of first | sed -n 's/^\[.*]:[0-9]*://p')
	[ "$head" -gt 0 ]
	grep -Eq "^ [0-9.]+: [0-9]+ first:$head$" contexts.prof
}

@test "llvm-profdata reads the same" {
	llvm-profdata-14 merge --sample --text -o merged.prof contexts.prof
	diff <(sort merged.prof) <(sort contexts.prof)
	"$DENDRO" export --verify clang-profile contexts.prof
}

@test "clang takes the counts without a warning" {
	"${CLANG[@]}" -fprofile-sample-use=contexts.prof -c -o rebuilt.o contexts.c >warnings 2>&1
	expect_equal warnings "$(<warnings)" ""
	"${CLANG[@]}" -fprofile-sample-use=contexts.prof -Rpass-analysis=sample-profile -c -o rebuilt.o contexts.c 2>remarks
	local count
	count=$(lines_of first | sed -n "s/^ $(offset_of first '/* from first').*: \([0-9]*\) .*/\1/p")
	grep -q "Applied $count samples from profile" remarks
}

@test "contexts are cut where they are too deep, and nothing is lost" {
	local i
	{
		echo '__attribute__((noinline)) void f400(void) { for (unsigned i = 0; i < 20000; i++) __asm__ volatile(""); }'
		for ((i = 399; i >= 0; i--)); do
			echo "__attribute__((noinline)) void f$i(void) { f$((i + 1))(); __asm__ volatile(\"\"); }"
		done
		echo 'int main(void) { for (unsigned i = 0; i < 20000; i++) f0(); }'
	} >deep.c
	"${CLANG[@]}" -fno-optimize-sibling-calls -fdebug-info-for-profiling -o deep deep.c
	record deep.data -- ./deep
	"$DENDRO" export -f clang-context-profile -o deep.prof deep.data 2>notes
	grep -q '@ f400\]:' deep.prof
	expect_equal "contexts that are too deep" "$(grep '^\[' deep.prof | awk -F ' @ ' 'NF > 257')" ""
	llvm-profdata-14 merge --sample --text -o merged.prof deep.prof
}
