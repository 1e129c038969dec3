/* Stack frames of every kind. */
#include "tests/unit/fixtures/stepped_program.h"

#define FRAME .skip_loader = true, .source = "unwind_frames.c"

static struct stepped_program programs[] = {
	{ FRAME, GCC = "-O0" },
	{ FRAME, GCC = "-O1 -fno-plt" },
	{ FRAME, GCC = "-O2" },
	{ FRAME, GCC = "-O2", .signal_every = 37 },
	{ FRAME, GCC = "-O2 -flto" },
	{ FRAME, GCC = "-O2 -fno-omit-frame-pointer" },
	{ FRAME, GCC = "-O2 -fcf-protection=full -fno-plt -Wl,-z,now" },
	{ FRAME, GCC = "-O2 -fstack-clash-protection" },
	{ FRAME, GCC = "-O0 -fstack-clash-protection" },
	{ FRAME, GCC = "-O2 -mforce-drap -mstackrealign" },
	{ FRAME, GCC = "-O3 -march=haswell" },
	{ FRAME, GCC = "-Os -no-pie" },
	{ FRAME, CLANG = "-O0" },
	{ FRAME, CLANG = "-O1 -fno-plt" },
	{ FRAME, CLANG = "-O2" },
	{ FRAME, CLANG = "-O2", .signal_every = 41 },
	{ FRAME, CLANG = "-O2 -flto" },
	{ FRAME, CLANG = "-O2 -fno-omit-frame-pointer" },
	{ FRAME, CLANG = "-O2 -fcf-protection=full -fno-plt -Wl,-z,now" },
	{ FRAME, CLANG = "-O2 -fstack-clash-protection" },
	{ FRAME, CLANG = "-O0 -fstack-clash-protection" },
	{ FRAME, CLANG = "-O3 -march=haswell -mstackrealign" },
	{ FRAME, CLANG = "-Os -no-pie" },
};

int main(void)
{
	return step_programs(programs, sizeof(programs) / sizeof(programs[0]));
}
