/*
 * Loops below a frame whose array is not used in its middle: pages of the stack that no one has
 * touched, as large as requested. All the time is spent below it, in main's thread or in another;
 * with "late", as much time in main before it.
 *
 *	stack_holes SECONDS BYTES [thread | late | late-thread]
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "work.h"

/* It would touch each page of the array. */
#pragma GCC optimize("no-stack-clash-protection")

static double seconds;
static size_t size;

static FUNCTION void work(void)
{
	struct rounds rounds = rounds_of(seconds);
	unsigned n;

	while ((n = rounds_next(&rounds)))
		units(n);
	KEEP_FRAME();
}

static FUNCTION void below_hole(volatile char *bytes)
{
	work();
	bytes[0] = 1;
}

/* The array's ends are in memory, what lies between them is not. */
static FUNCTION void with_hole(void)
{
	volatile char *bytes = __builtin_alloca(size);

	bytes[size - 1] = 0;
	below_hole(bytes);
	KEEP_FRAME();
}

static FUNCTION void above_hole(void)
{
	with_hole();
	KEEP_FRAME();
}

static void *run_thread(void *arg)
{
	above_hole();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 3)
		return 2;
	seconds = atof(argv[1]);
	size = strtoul(argv[2], NULL, 0);
	const char *how = argc > 3 ? argv[3] : "";
	if (strncmp(how, "late", 4) == 0)
		work();
	if (!strstr(how, "thread"))
		above_hole();
	else if (pthread_create(&thread, NULL, run_thread, NULL) || pthread_join(thread, NULL))
		return 1;
	KEEP_FRAME();
	return 0;
}
