/*
 * Recursion far deeper than a sample's copy of the stack, all the time spent at the bottom, reached
 * from two callers. What runs at the bottom, below_left or below_right, is the truth about the
 * caller, 1 KiB above for each of the LEVELS (1500): via_left or via_right.
 *
 *	deep SECONDS bottom|slow|fast|longjmp|threads|exec [LEVELS]
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "watched.h"
#include "work.h"

#define FRAME_SIZE 1000 /* bytes of a level's own */

/* Equal functions stay two. */
#define NOT_FOLDED __attribute__((no_icf))

static __thread jmp_buf way_out;
static bool leaves_by_longjmp;
static unsigned levels = 1500;

static FUNCTION NOT_FOLDED void below_left(unsigned n)
{
	units(n);
}

static FUNCTION NOT_FOLDED void below_right(unsigned n)
{
	units(n);
}

static FUNCTION void descend(unsigned depth, unsigned n, bool is_left)
{
	char bytes[FRAME_SIZE];

	__asm__ volatile("" ::"r"(bytes) : "memory");
	if (depth > 1)
		descend(depth - 1, n, is_left);
	else if (is_left)
		below_left(n);
	else
		below_right(n);
	KEEP_FRAME();
	if (depth == 1 && leaves_by_longjmp)
		longjmp(way_out, 1);
}

static FUNCTION void via_left(unsigned n)
{
	descend(levels, n, true);
	KEEP_FRAME();
}

static FUNCTION void via_right(unsigned n)
{
	descend(levels, n, false);
	KEEP_FRAME();
}

/* @n_units: work at the bottom each time. Left and right by turns, 1 : 2. */
static FUNCTION void take_turns(struct rounds rounds, unsigned n_units)
{
	while (rounds_next(&rounds)) {
		if (!setjmp(way_out))
			via_left(n_units);
		if (!setjmp(way_out))
			via_right(2 * n_units);
	}
}

/* One descent that takes all the time. */
static FUNCTION void stay(double seconds)
{
	uint64_t start = cpu_time_ns();

	for (unsigned i = 0; i < 100; i++)
		unit();
	via_left((unsigned)(seconds * 1e9 / ((double)(cpu_time_ns() - start) / 100)));
}

static const char *seconds = "1";

static void *run_thread(void *unused)
{
	(void)unused;
	take_turns(rounds_begin(2, (char *[]){ NULL, (char *)seconds }), 2000);
	return NULL;
}

static int run_threads(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++) {
		if (pthread_create(&threads[i], NULL, run_thread, NULL))
			return 1;
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	const char *mode = argc > 2 ? argv[2] : "bottom";

	if (argc > 1)
		seconds = argv[1];
	if (argc > 3)
		levels = (unsigned)atoi(argv[3]);
	if (strcmp(mode, "threads") == 0)
		return run_threads();
	leaves_by_longjmp = strcmp(mode, "longjmp") == 0;
	if (strcmp(mode, "fast") == 0)
		take_turns(rounds, 1);
	else if (strcmp(mode, "slow") == 0 || leaves_by_longjmp)
		take_turns(rounds, 2000);
	else
		stay(atof(seconds));
	if (strcmp(mode, "exec") == 0)
		execl(argv[0], argv[0], seconds, "slow", NULL);
	return 0;
}
