/* The same calls as in test_steps_calls.c, in 32-bit programs. */
#include "tests/unit/fixtures/stepped_program.h"

#define CALLS .skip_loader = true, .source = "unwind_calls.c"

static struct stepped_program programs[] = {
	{ .source = "unwind_calls.c", GCC = M32 " -O2" },
	{ CALLS, GCC = M32 " -O3 -s -Wl,-z,now -fcf-protection" },
	{ CALLS, GCC = M32 " -O0" },
	{ .source = "unwind_calls.c", GCC = M32 " -O2 -static", .signal_every = 53 },
	{ CALLS, CLANG = M32 " -O2" },
	{ .source = "unwind_thread.c", .skip_loader = true, GCC = M32 " -O2" },
};

int main(void)
{
	return step_programs(programs, sizeof(programs) / sizeof(programs[0]));
}
