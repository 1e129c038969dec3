/* Jumps between stacks: longjmp(), contexts, coroutines, handlers on alternate stacks. */
#include "tests/unit/fixtures/stepped_program.h"

#define JUMPS .skip_loader = true, .jumps = true, .source = "unwind_jumps.c"

static struct stepped_program programs[] = {
	{ JUMPS, GCC = "-O0" },
	{ JUMPS, GCC = "-O2" },
	{ JUMPS, GCC = "-O2 -static" },
	{ JUMPS, GCC = "-O2 -static-pie -s", .signal_every = 61 },
	{ JUMPS, GCC = "-O2 -fcf-protection=full -fno-plt", .signal_every = 67 },
	{ JUMPS, CLANG = "-O2" },
	{ JUMPS, CLANG = "-O0", .signal_every = 71 },
	{ JUMPS, GCC = M32 " -O2" },
	{ JUMPS, GCC = M32 " -O2 -static", .signal_every = 61 },
	{ JUMPS, GCC = M32 " -O2 -fcf-protection=full -fno-plt", .signal_every = 67 },
	{ JUMPS, CLANG = M32 " -O2" },
};

int main(void)
{
	return step_programs(programs, sizeof(programs) / sizeof(programs[0]));
}
