/* How programs start, from the first instruction on, with several C libraries and ways of linking.
 */
#include "tests/unit/fixtures/stepped_program.h"

#define START .source = "unwind_start.c"

static struct stepped_program programs[] = {
	{ START, GCC = "-O2 -Wl,-z,lazy" },
	{ START, GCC = "-O2 -static" },
	{ START, GCC = "-O2 -static-pie" },
	{ START, GCC = "-O2 -no-pie -s", .skip_loader = true },
	{ START, GCC = M32 " -O2 -static" },
	{ START, CLANG = "-O2 -static-pie -s" },
	{ START, CLANG = "-O2 -no-pie", .skip_loader = true },
	{ START, .compiler = "musl-gcc", .flags = "-O2", .lacks_cfi = true },
	{ START, .compiler = "musl-gcc", .flags = "-O2 -static", .lacks_cfi = true },
	{ START, .compiler = "musl-gcc", .flags = "-O2 -static -s", .lacks_cfi = true },
};

int main(void)
{
	return step_programs(programs, sizeof(programs) / sizeof(programs[0]));
}
