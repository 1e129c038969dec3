/*
 * When a machine was watched all the time (dendro agent), and what that took. A window of the agent
 * knows its own time; the sum of windows knows all of their times, and so when nobody watched.
 *
 * Memory is bounded: of very many times, those with the least between them become one.
 */
#ifndef CCT_TIME_WATCHED_TIME_H
#define CCT_TIME_WATCHED_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/time/time_range.h"

#define WATCHED_TIMES_MAX 4096

/* All zero: nobody watched. */
struct watched_time {
	/* Nanoseconds since 1970, UTC: owned; in order, none touches the next, none is empty. */
	struct time_span *spans;
	size_t n;
	uint64_t own_cpu_ns; /* CPU time of all processes of dendro */
	uint64_t own_memory; /* bytes that they had at most at a time */
	/* For so long the rate of samples was lower than asked for, to hold limits of the two. */
	uint64_t slow_ns;
	/* The part that a user asked for, which is not stored; end_ns 0: all. */
	struct time_span asked;
};

void watched_time_deinit(struct watched_time *watched);
/* Adds a time, which may be one that is there already, in any order; an empty one is none. 0 or
 * -ENOMEM. */
int watched_time_add(struct watched_time *watched, const struct time_span *span);
/* Adds times, CPU time and slow times, and takes the larger memory. 0 or -ENOMEM. */
int watched_time_merge(struct watched_time *into, const struct watched_time *from);
/* Nanoseconds that were watched, within @part if that is not NULL. */
uint64_t watched_time_total_ns(const struct watched_time *watched, const struct time_span *part);
/*
 * The @index-th time that nobody watched, in the part that was asked for, or else between the first
 * and the last time. false: there are no more.
 */
bool watched_time_gap(const struct watched_time *watched, size_t index, struct time_span *gap_ret);

#endif
