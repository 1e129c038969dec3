/*
 * A part of a recording's time, as users write it, and what it is in one recording.
 *
 * Times of samples are those of cct/time/sample_time.h, so a recording and its profile give the
 * same answer.
 */
#ifndef CCT_TIME_TIME_RANGE_H
#define CCT_TIME_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

enum time_base {
	TIME_OPEN,   /* no bound */
	TIME_AFTER,  /* since the first sample */
	TIME_BEFORE, /* back from the last sample */
	TIME_CLOCK,  /* of the recording's clock, as `dendro script` prints it */
};

struct time_point {
	enum time_base base;
	bool is_share;
	double percent; /* is_share: of the time from the first to the last sample; else ->ns */
	uint64_t ns;
};

/* All zeros: the whole time. */
struct time_range {
	struct time_point from, to;
};

/* Of the first and last sample, in nanoseconds of the recording's clock. */
struct time_span {
	uint64_t start_ns, end_ns;
};

/* Microseconds since the first sample. */
struct time_window {
	uint64_t from_us;
	uint64_t to_us; /* the first one after the window; UINT64_MAX: to the end */
};

/*
 * "FROM-TO", of which one may be missing. Each is a time (cct/base/numbers.h; without a unit
 * seconds) since the first sample, a percentage such as 10%, "end", or "end-" and one of the
 * former. Two forms are perf's: "FROM,TO" are seconds of the recording's clock; "10%/2" is the
 * second tenth. 0; -ERANGE: it ends before it begins; -EINVAL: it is not a range.
 */
int time_range_parse(const char *text, struct time_range *range_ret);

/* A range has its first microsecond and not its last, so ranges can follow one another; one that
 * ends with the recording has the last sample, and perf's "FROM,TO" both bounds. */
struct time_window time_range_resolve(const struct time_range *range, const struct time_span *span);

/* Widens it to whole slices of 2^@shift microseconds, at most 2^63. */
void time_window_widen(struct time_window *window, unsigned shift);

/* What a window is of a recording of that span: nanoseconds since the first sample. */
struct time_span time_window_span(const struct time_window *window, const struct time_span *span);

/* @time_us: of a sample, as sample_time_us() gives it. */
bool time_window_has(const struct time_window *window, uint64_t time_us);

#endif
