/* Exceptions. */
#include "tests/unit/stepped_program.h"

#define THROW .skip_loader = true, .throws = true, .source = "unwind_throw.cpp"

static struct stepped_program programs[] = {
	{ THROW, .compiler = "g++", .flags = "-O2 -Wl,-z,now" },
	{ THROW, .compiler = "clang++", .flags = "-O2 -Wl,-z,now" },
};

int main(void)
{
	return step_programs(programs, sizeof(programs) / sizeof(programs[0]));
}
