/* Programs and assembly that no CFI describes. */
#include "tests/unit/fixtures/stepped_program.h"

#define LACKS .skip_loader = true, .lacks_cfi = true, .source = "unwind_calls.c"
/* The second source comes with the flags. */
#define SHAPES       .skip_loader = true, .lacks_cfi = true, .source = "no_cfi.c"
#define SWITCHES     .skip_loader = true, .lacks_cfi = true, .source = "unwind_switch.c"
#define SHAPES_FLAGS NO_CFI "-w tests/workloads/no_cfi.S "

static struct stepped_program programs[] = {
	{ LACKS, GCC = NO_CFI "-O0" },
	{ LACKS, GCC = NO_CFI "-O2 -s" },
	{ LACKS, GCC = NO_CFI "-Os -s -fno-omit-frame-pointer" },
	{ LACKS, GCC = NO_CFI "-O2", .signal_every = 43 },
	{ LACKS, GCC = NO_CFI "-O3 -fcf-protection=full -mforce-drap -mstackrealign" },
	{ LACKS, CLANG = NO_CFI "-O0 -s" },
	{ LACKS, CLANG = NO_CFI "-O2 -s" },
	{ LACKS, CLANG = NO_CFI "-Os -s", .signal_every = 47 },
	{ LACKS, GCC = NO_CFI M32 " -O2" },
	{ LACKS, CLANG = NO_CFI M32 " -O2" },
	{ LACKS, .compiler = "musl-gcc", .flags = NO_CFI "-O2 -static -s" },
	{ SHAPES, GCC = SHAPES_FLAGS "-O2" },
	{ SHAPES, GCC = SHAPES_FLAGS "-O0 -s -no-pie" },
	{ SHAPES, CLANG = SHAPES_FLAGS "-O2 -s" },
	{ SWITCHES, GCC = NO_CFI "-O2 -s" },
	{ SWITCHES, CLANG = NO_CFI "-O2 -s" },
};

int main(void)
{
	return step_programs(programs, sizeof(programs) / sizeof(programs[0]));
}
