/*
 * Recursion that is deeper than a sample's copy of the stack and over within a fraction of a
 * millisecond, again and again, reached from two callers. What a level calls, on_left or on_right,
 * is the truth about the caller, via_left or via_right; and there are exactly N_OUTER levels of
 * outer_level above the levels that call it.
 *
 *	descents SECONDS LEVELS apart|alike [N] [thread]
 *
 * apart: all frames below the callers are at different places of the stack. alike: they are the
 * same. N: left N times for each time of right.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "watched.h"
#include "work.h"

#define N_OUTER    40   /* 40 KiB */
#define FRAME_SIZE 1000 /* bytes of a level's own */
#define STEPS      1000 /* of work on each level */
#define APART      512  /* bytes */

/* Equal functions stay two. */
#define NOT_FOLDED __attribute__((no_icf))

static double seconds;
static unsigned levels, n_lefts = 1;
static bool is_apart;
static volatile bool is_left;

static inline __attribute__((always_inline)) void work(void)
{
	unsigned long n = STEPS;

	__asm__ volatile(".p2align 6\n"
			 "1:\t" DECREMENT "\n"
			 : "+r"(n)
			 :
			 : "cc");
}

static FUNCTION NOT_FOLDED void on_left(void)
{
	work();
}

static FUNCTION NOT_FOLDED void on_right(void)
{
	work();
}

static FUNCTION void inner_level(unsigned depth)
{
	char bytes[FRAME_SIZE];

	__asm__ volatile("" ::"r"(bytes) : "memory");
	if (is_left)
		on_left();
	else
		on_right();
	if (depth > 1)
		inner_level(depth - 1);
	KEEP_FRAME();
}

static FUNCTION void outer_level(unsigned depth)
{
	char bytes[FRAME_SIZE];

	__asm__ volatile("" ::"r"(bytes) : "memory");
	if (depth > 1)
		outer_level(depth - 1);
	else
		inner_level(levels);
	KEEP_FRAME();
}

static FUNCTION NOT_FOLDED void via_left(void)
{
	is_left = true;
	outer_level(N_OUTER);
	KEEP_FRAME();
}

static FUNCTION NOT_FOLDED void via_right(void)
{
	is_left = false;
	outer_level(N_OUTER);
	KEEP_FRAME();
}

/* What it calls is at other places of the stack. */
static FUNCTION void aside(void)
{
	char bytes[APART];

	__asm__ volatile("" ::"r"(bytes) : "memory");
	via_right();
	KEEP_FRAME();
}

static FUNCTION void take_turns(void)
{
	struct rounds rounds = rounds_of(seconds);

	while (rounds_next(&rounds)) {
		for (unsigned i = 0; i < n_lefts; i++)
			via_left();
		if (is_apart)
			aside();
		else
			via_right();
	}
}

static void *run_thread(void *arg)
{
	take_turns();
	return arg;
}

int main(int argc, char **argv)
{
	bool has_thread = argc > 4 && strcmp(argv[argc - 1], "thread") == 0;
	pthread_t thread;

	if (argc < 4)
		return 2;
	seconds = atof(argv[1]);
	levels = (unsigned)atoi(argv[2]);
	is_apart = strcmp(argv[3], "apart") == 0;
	if (argc - has_thread > 4)
		n_lefts = (unsigned)atoi(argv[4]);
	if (!has_thread)
		take_turns();
	else if (pthread_create(&thread, NULL, run_thread, NULL) || pthread_join(thread, NULL))
		return 1;
	return 0;
}
