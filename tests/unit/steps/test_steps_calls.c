/* Calls of every kind, and a thread, from the dynamic loader's first instruction on where it is not
 * skipped. */
#include "tests/unit/fixtures/stepped_program.h"

#define CALLS .skip_loader = true, .source = "unwind_calls.c"

static struct stepped_program programs[] = {
	{ .source = "unwind_calls.c", GCC = "-O2" },
	{ CALLS, GCC = "-O3 -s -Wl,-z,now" },
	{ CALLS, GCC = "-O0" },
	{ CALLS, GCC = "-O2 -static", .signal_every = 53 },
	{ CALLS, CLANG = "-O2" },
	{ CALLS, CLANG = "-O0", .signal_every = 37 },
	{ .source = "unwind_thread.c", .skip_loader = true, GCC = "-O2" },
};

int main(void)
{
	return step_programs(programs, sizeof(programs) / sizeof(programs[0]));
}
