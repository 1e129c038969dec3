/* What dendro top prints where there is no terminal: the hottest rows of a snapshot. */
#ifndef COLLECTOR_WATCH_TOP_TEXT_H
#define COLLECTOR_WATCH_TOP_TEXT_H

#include "collector/watch/snapshot.h"
#include "collector/watch/top_options.h"

/* "12.0 s, 11964 samples, 0 lost, dendro 1.3% of a CPU, cpu-clock". @percent: own_cost_percent().
 * Heap; NULL: out of memory. */
char *top_text_status(const struct profile *profile, uint32_t metric, double percent);
/* Prints a snapshot, and flushes. 0 or -errno; -EPIPE: nobody reads any more. */
int top_text_print(const struct top_options *options, const struct snapshot *snapshot,
		   double percent);
/* Likewise, when there is no sample. */
int top_text_print_none(const struct top_options *options, double percent);

#endif
