/* The clock of the records: CLOCK_MONOTONIC, in nanoseconds. */
#ifndef CCT_BASE_MONOTONIC_H
#define CCT_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
