/*
 * Samples of a thread as spans of time, for formats that have functions with a begin and an end. A
 * sample of a clock stands for the time up to it, and its span is as long as its weight; a wait
 * begins with its sample. Samples of other events get the length that most have between them.
 *
 * Clocks are late now and then, and a time is in microseconds. So a span follows the one before
 * where it would begin within its own length after it, and never overlaps it: the spans of a thread
 * that always runs are one, and lengths remain weights.
 */
#ifndef REPORT_FORMATS_SAMPLE_SPANS_H
#define REPORT_FORMATS_SAMPLE_SPANS_H

#include "cct/paths/sample_list.h"

struct sample_span {
	uint64_t begin_ns, end_ns;
};

/* The length of samples of a metric that is no time: the median of the times between two samples of
 * a group; 1 ms where there are none. *@length_ret is 0 if weights are lengths. 0 or -ENOMEM. */
int sample_spans_length(const struct profile *profile, const struct sample_list *samples,
			uint32_t n_groups, uint32_t metric, uint64_t *length_ret);
/* The span of a sample, the one before having ended at @last_end_ns. @weight: or its length. */
struct sample_span sample_span_of(const struct sample_row *row, bool is_wait, uint64_t weight,
				  uint64_t last_end_ns);

#endif
