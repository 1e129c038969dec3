/* What keys take, in milliseconds of the processor, which other processes do not change. */
#ifndef TESTS_BENCH_KEY_TIMES_H
#define TESTS_BENCH_KEY_TIMES_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

static inline double key_times_now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* A key that was pressed at @start_ms, and how many rows are listed now. @message: about it. */
static inline void key_times_tell(const char *key, double start_ms, uint32_t n_rows,
				  const char *message)
{
	printf("%8.1f ms  %-44s %u rows%s%s\n", key_times_now_ms() - start_ms, key, n_rows,
	       *message ? ": " : "", message);
}

#endif
