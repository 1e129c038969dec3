/*
 * Times of samples as rows of stored profiles have them: whole microseconds since the recording's
 * first sample. What chooses samples by time compares these, for recordings, too, so that a
 * recording and its profile agree on each sample.
 */
#ifndef CCT_TIME_SAMPLE_TIME_H
#define CCT_TIME_SAMPLE_TIME_H

#include <stdint.h>

static inline uint64_t sample_time_us(uint64_t start_ns, uint64_t time_ns)
{
	return time_ns > start_ns ? (time_ns - start_ns) / 1000 : 0;
}

#endif
