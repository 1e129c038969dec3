/* Exceptions, panics, and coroutines that throw. */
#include "tests/unit/fixtures/stepped_program.h"

#define LANDS     .skip_loader = true, .throws = true
#define THROW     LANDS, .source = "unwind_throw.cpp"
#define COROUTINE LANDS, .source = "unwind_coroutine.cpp"
#define PANIC     LANDS, .source = "unwind_panic.rs", .compiler = "rustc"

static struct stepped_program programs[] = {
	{ THROW, .compiler = "g++", .flags = "-O2 -Wl,-z,now" },
	{ THROW, .compiler = "clang++", .flags = "-O2 -Wl,-z,now" },
	{ THROW, .compiler = "g++",
	  .flags = "-O1 -fno-omit-frame-pointer -static-libgcc -Wl,-z,now" },
	/* pthread_exit() ends in longjmp(), whose target is not in the copy. */
	{ THROW, .compiler = "g++", .flags = M32 " -O2 -Wl,-z,now", .jumps = true },
	{ COROUTINE, .compiler = "g++", .flags = "-std=c++20 -O2 -Wl,-z,now" },
	{ PANIC, .flags = "-O" },
};

int main(void)
{
	return step_programs(programs, sizeof(programs) / sizeof(programs[0]));
}
