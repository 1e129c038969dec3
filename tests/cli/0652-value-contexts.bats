# dendro values by calling context, and of several expressions together: of a program whose calls are
# known.

load lib

setup() {
	need_events
	need jq gcc
	cd "$BATS_TEST_TMPDIR"
	gcc -std=gnu17 -D_GNU_SOURCE -I "$ROOT" -g -O2 -o contexts "$ROOT/tests/workloads/value_contexts.c"
	record contexts.recorded -- ./contexts 1 >/dev/null
}

# samples_of VARIABLE VALUE [CALLER] : of all contexts, or of those whose innermost caller it is.
samples_of() {
	ask contexts.json '.variables[] | select(.name == $variable) |
		if $caller == "" then . else .contexts[] | select(.callers[0] == $caller) end |
		[.values[] | select($value == "" or .value == $value).samples] | add // 0' \
		--arg variable "$1" --arg value "$2" --arg caller "${3:-}"
}

@test "values: by calling context, and of several expressions at the same samples" {
	"$DENDRO" values --format json --by-context --together work kind level contexts.recorded >contexts.json
	local all
	all=$(samples_of kind "")
	expect_share "kind 1" "$(samples_of kind 1)" "$all" 3 8
	expect_share "first" "$(samples_of kind "" first)" "$all" 4 8
	all=$(samples_of kind "" first)
	expect_share "first, kind 1" "$(samples_of kind 1 first)" "$all" 3 4
	expect_equal "first, kind 3" "$(samples_of kind 3 first)" 0
	# A recursive function has its outermost context: work() is called by second() alone.
	all=$(samples_of kind "" second)
	expect_share "second, kind 2" "$(samples_of kind 2 second)" "$all" 2 4
	ask contexts.json '[.variables[0].contexts[].callers | index("again")] == [null, null]' | grep -qx true
	# One against the other.
	all=$(samples_of "kind, level" "")
	expect_share "1, 10" "$(samples_of "kind, level" "1, 10")" "$all" 3 8
	expect_share "2, 20" "$(samples_of "kind, level" "2, 20")" "$all" 1 8
	expect_share "2, 10" "$(samples_of "kind, level" "2, 10")" "$all" 2 8
	expect_equal "1, 20" "$(samples_of "kind, level" "1, 20")" 0
	expect_equal "2, 10, of first" "$(samples_of "kind, level" "2, 10" first)" 0
	# The parts are the whole.
	ask contexts.json '[.variables[] | .known + ([.missing[]] | add // 0) ==
		([.contexts[] | .known + ([.missing[]] | add // 0)] | add)] | all' | grep -qx true
	"$DENDRO" values --by-context --together work kind level contexts.recorded >text
	cat text
	grep -q '^together kind, level$' text
	grep -q '^    called by first < main < ' text
	grep -q '^    called by second < main < ' text
	refuses "--together needs two or more expressions." -- "$DENDRO" values --together work kind contexts.recorded
}

@test "values: types are named as in C; one other value is one" {
	need g++
	cat >job.cpp <<-'END'
		#include "tests/workloads/work.h"
		struct Job {
			int id;
			long run(const char *name, char *const end);
		};
		FUNCTION long Job::run(const char *name, char *const end) {
			units(20);
			return id + *name + *end;
		}
		int main(void) {
			long sum = 0;
			char end[2] = "e";
			for (int i = 0; i < 300; i++) {
				Job job = { i % 3 };
				sum += job.run("name", end);
			}
			return sum == 0;
		}
	END
	g++ -D_GNU_SOURCE -I "$ROOT" -g -O2 -o job job.cpp
	record job.recorded -- ./job >/dev/null
	"$DENDRO" values Job::run job.recorded >text
	cat text
	grep -qx 'parameter this: Job \*' text
	grep -qx 'parameter name: const char \*' text
	grep -qx 'parameter end: char \*' text
	"$DENDRO" values --top 2 Job::run 'this->id' job.recorded | grep -q '  \[1 other value\]$'
}
