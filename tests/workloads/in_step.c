/*
 * Keeps step with 1 ms of its CPU time: 0.9 ms of each in long_part(), 0.1 ms in
 * short_part(). argv[1]: seconds (default 2).
 */
#include "work.h"

#define MSEC 1000000ull

/* The parts differ, or compilers make one function of them. */
static FUNCTION void long_part(uint64_t until)
{
	while (cpu_time_ns() < until)
		__asm__ volatile("# long");
	KEEP_FRAME();
}

static FUNCTION void short_part(uint64_t until)
{
	while (cpu_time_ns() < until)
		__asm__ volatile("# short");
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	uint64_t begin = cpu_time_ns();
	uint64_t end = begin + (uint64_t)(seconds_of(argc, argv) * 1000 * MSEC);

	for (; begin < end; begin += MSEC) {
		long_part(begin + MSEC / 10 * 9);
		short_part(begin + MSEC);
	}
	return 0;
}
