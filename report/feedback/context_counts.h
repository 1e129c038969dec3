/*
 * How often the lines of functions were executed in each calling context, estimated from samples
 * alone (sampled_code.h says how): a tree of counts in which a function that is called is below its
 * caller, as one that is inlined is. A function that is on the path already goes on where it was,
 * so that recursion does not make contexts without end: its entries are all those of its first
 * call.
 */
#ifndef REPORT_FEEDBACK_CONTEXT_COUNTS_H
#define REPORT_FEEDBACK_CONTEXT_COUNTS_H

#include "cct/model/profile.h"
#include "report/feedback/code_lines.h"
#include "report/feedback/sampled_code.h"
#include "report/names/symbolize.h"

/* Fills @counts, an empty tree; the arguments are those of sampled_code_count(). 0 or -ENOMEM. */
int context_counts_fill(const struct profile *profile, struct symbolizer *symbolizer,
			uint32_t metric, const struct code_naming *naming,
			struct line_counts *counts, struct sampled_weights *weights_ret);

#endif
