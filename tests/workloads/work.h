/*
 * Work whose cost is known by counting: the pieces of the programs under test.
 *
 * A unit is a loop of fixed length in assembly, aligned, so no compiler folds it and every copy of
 * it costs the same. Shares follow from counts of units. Rounds vary in size so that they do
 * not keep step with the sampling clock.
 *
 * Programs run for seconds of CPU time, not of wall clock time: a busy machine takes longer, and a
 * recording has as many samples.
 */
#ifndef TESTS_WORKLOADS_WORK_H
#define TESTS_WORKLOADS_WORK_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* A function that stays a function: not inlined, not cloned. */
#define FUNCTION __attribute__((noinline, noclone))
/* After a call: the caller's frame is needed once more, so the call is not a tail call. */
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

#define UNIT_ITERATIONS 100000ul /* 0.03 to 0.1 ms */

#ifdef __aarch64__
#define DECREMENT "subs %0, %0, #1\n\tb.ne 1b"
#else
#define DECREMENT "dec %0\n\tjnz 1b"
#endif

static inline __attribute__((always_inline)) void unit(void)
{
	unsigned long n = UNIT_ITERATIONS;

	__asm__ volatile(".p2align 6\n"
			 "1:\t" DECREMENT "\n"
			 : "+r"(n)
			 :
			 : "cc");
}

static inline __attribute__((always_inline)) void units(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		unit();
	KEEP_FRAME();
}

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* What all threads of this process have run so far. */
static inline uint64_t cpu_time_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

struct rounds {
	uint64_t end_ns; /* of cpu_time_ns() */
	uint32_t random;
};

static inline double seconds_of(int argc, char **argv)
{
	return argc > 1 ? atof(argv[1]) : 2;
}

static inline struct rounds rounds_of(double seconds)
{
	return (struct rounds){ .end_ns = cpu_time_ns() + (uint64_t)(seconds * 1e9), .random = 1 };
}

static inline struct rounds rounds_begin(int argc, char **argv)
{
	return rounds_of(seconds_of(argc, argv));
}

/* The size of the next round, 16 to 79 units, or 0 after the last one. */
static inline unsigned rounds_next(struct rounds *rounds)
{
	if (cpu_time_ns() >= rounds->end_ns)
		return 0;
	rounds->random = rounds->random * 1664525u + 1013904223u;
	return 16 + (rounds->random >> 26);
}

#endif
