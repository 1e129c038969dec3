/* The clock of the records: CLOCK_MONOTONIC, in nanoseconds. */
#ifndef CCT_BASE_CLOCK_H
#define CCT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NSEC_PER_USEC ((uint64_t)1000)
#define NSEC_PER_MSEC ((uint64_t)1000000)
#define NSEC_PER_SEC  ((uint64_t)1000000000)

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

#endif
