# Profiles for BOLT are those that its own perf2bolt makes: of samples, from what dendro exports for perf; of
# branches, from the same recording.

load lib

PERF2BOLT=/usr/lib/llvm-16/bin/perf2bolt

setup_file() {
	load lib
	prepare make_recording
}

make_recording() {
	need_events
	need gcc
	cd "$BATS_FILE_TMPDIR"
	# Two functions have one name, one has several, and one is in a library.
	cat >library.c <<-'END'
		#define FUNCTION __attribute__((noipa))
		volatile unsigned sink;
		static FUNCTION void work(unsigned n) { while (n--) sink += n; }
		FUNCTION void in_library(unsigned n) { work(n); sink++; }
	END
	cat >one.c <<-'END'
		#define FUNCTION __attribute__((noipa))
		extern volatile unsigned sink;
		static FUNCTION void work(unsigned n) { while (n--) sink *= n; }
		FUNCTION void one(unsigned n) { work(n); sink++; }
		FUNCTION void other_name(unsigned n) __attribute__((alias("one")));
	END
	cat >main.c <<-'END'
		#define FUNCTION __attribute__((noipa))
		#include <string.h>
		extern volatile unsigned sink;
		void other_name(unsigned n);
		void in_library(unsigned n);
		static FUNCTION void work(unsigned n) { while (n--) sink ^= n; }
		int main(void)
		{
			for (unsigned i = 0; i < 2000; i++) {
				work(60000);
				other_name(60000);
				in_library(60000);
			}
		}
	END
	gcc -O2 -fPIC -shared -o libwork.so library.c
	gcc -O2 -Wl,--emit-relocs -o program main.c one.c ./libwork.so
	record program.data -- ./program
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

# same_lines ONE OTHER : in any order
same_lines() {
	diff <(sort "$1") <(sort "$2")
}

@test "of samples, each address has as many as perf2bolt finds" {
	need perf "$PERF2BOLT"
	"$DENDRO" export -f bolt -o ours.fdata program.data 2>notes
	"$DENDRO" export -f perf.data --no-callchain -o program.perf program.data
	"$PERF2BOLT" -nl -p program.perf -o theirs.fdata ./program >log 2>&1
	grep -q 'matched build-id and file name' log
	same_lines ours.fdata theirs.fdata
	grep -q '^1 work/1 ' ours.fdata
	grep -q '^1 work/2 ' ours.fdata
	"$DENDRO" export -f bolt --module libwork.so -o ours.fdata program.data 2>notes
	"$PERF2BOLT" -nl -p program.perf -o theirs.fdata ./libwork.so >log 2>&1
	same_lines ours.fdata theirs.fdata
	grep -q '^1 work/1 ' ours.fdata
}

@test "all samples of the chosen file are there, and how many those are is said" {
	local samples all
	"$DENDRO" export -f bolt -o ours.fdata program.data 2>notes
	samples=$(awk 'NR > 1 { n += $NF } END { print n }' ours.fdata)
	all=$("$DENDRO" report --format json program.data | jq '.metrics[0].samples')
	expect_equal note "$(<notes)" "dendro export: the profile is of $PWD/program, with $samples of $all samples; $(
		)--module chooses another file."
	"$DENDRO" export -f bolt --module "$PWD/libwork.so" -o library.fdata program.data 2>notes
	grep -q "the profile is of $PWD/libwork.so, with [0-9]* of $all samples\.$" notes
}

@test "llvm-bolt takes the profile" {
	need /usr/lib/llvm-16/bin/llvm-bolt
	"$DENDRO" export -f bolt -o ours.fdata program.data 2>notes
	/usr/lib/llvm-16/bin/llvm-bolt ./program -o bolted -data ours.fdata -reorder-blocks=ext-tsp >log 2>&1
	grep -Eq 'BOLT-INFO: [1-9][0-9]* out of [0-9]+ functions in the binary .* have non-empty execution profile' log
	lacks 'invalid (possibly stale) profile' log
	./bolted
}

@test "of branches, each has the counts and mispredictions of perf2bolt" {
	need perf python3 clang-14 "$PERF2BOLT"
	[ "$(uname -m)" = x86_64 ] || skip "steps are of x86-64 here"
	local compiler level attributes
	for compiler in gcc clang-14; do
		for level in O0 O1 O2 O3 Os; do
			for attributes in -DINLINED=0 "-D__attribute__(x)="; do # the second lets functions be inlined
				"$compiler" -$level "$attributes" -g -static -nostdlib -no-pie -fno-stack-protector -w \
					-Wl,--emit-relocs -o steps "$ROOT/tests/oracle/branch_program.c"
				python3 "$ROOT/tests/oracle/branch_paths.py" record-bare ./steps steps.data ||
					skip "programs cannot be stepped here"
				"$DENDRO" export -f bolt -o ours.fdata steps.data 2>notes
				"$PERF2BOLT" -p steps.data -o theirs.fdata ./steps >log 2>&1
				same_lines ours.fdata theirs.fdata
			done
		done
	done
	grep -q 'instructions in stacks of branches; --module' notes
}

@test "what cannot be written is said" {
	cp program whole
	strip -s program
	refuses "no sample is in a file with the name nothing" -- "$DENDRO" export -f bolt --module nothing program.data
	refuses "program has no table of symbols" "linked with -Wl,--emit-relocs" -- \
		"$DENDRO" export -f bolt --module "$PWD/program" program.data
	rm program
	refuses "program: " -- "$DENDRO" export -f bolt --module "$PWD/program" program.data
	mv whole program
	"$DENDRO" build -o program.cct program.data
	refuses "export each recording" -- "$DENDRO" export -f bolt program.cct
}
