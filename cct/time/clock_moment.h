/*
 * A moment by two clocks: the one of the records and the time of day. They are read one after the
 * other, and whoever reads may lose the processor between: on a busy machine for a third of a
 * second. So they are read again until little time has passed between.
 */
#ifndef CCT_TIME_CLOCK_MOMENT_H
#define CCT_TIME_CLOCK_MOMENT_H

#include <stdint.h>
#include <time.h>

struct clock_moment {
	uint64_t now_ns;  /* of the chosen clock */
	uint64_t unix_ns; /* since 1970, UTC */
};

/* Of 32 readings at most, the one with the least time between. 0 or -errno: there is no such
 * clock. */
int clock_moment_read(clockid_t clock, struct clock_moment *moment_ret);

#endif
