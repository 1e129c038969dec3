/*
 * How often code was executed, estimated from samples alone: the weight of a basic block's samples,
 * divided by the number of its instructions (Chen, Vachharajani, Hundt, Liao, Ramasamy, Yuan, Chen,
 * Zheng: Taming hardware event samples for FDO compilation, CGO 2010, section 3). What a sample
 * misses its instruction by is mostly within the block, and so does not matter.
 *
 * A function was entered as often as its first block was executed, or more often if a block with
 * more samples was that no loop contains. These calls are divided among its callers by the weight
 * of its own samples that it has when called by each.
 */
#ifndef REPORT_FEEDBACK_SAMPLED_CODE_H
#define REPORT_FEEDBACK_SAMPLED_CODE_H

#include "cct/model/profile.h"
#include "report/feedback/code_lines.h"
#include "report/names/symbolize.h"

/* Where the weight of all samples went. */
struct sampled_weights {
	uint64_t all;
	uint64_t placed;        /* in lines of functions */
	uint64_t elsewhere;     /* in the kernel, in code made at run time, off the CPU */
	uint64_t without_debug; /* in functions without debug information or whose code is not
				   there, and in instructions that have no line */
	uint64_t unnamed;       /* in functions whose names the format cannot have */
};

/* Fills @counts, an empty tree, with the functions and lines of the profile's user code; @metric:
 * whose weights count. 0 or -ENOMEM. */
int sampled_code_count(const struct profile *profile, struct symbolizer *symbolizer,
		       uint32_t metric, const struct code_naming *naming,
		       struct line_counts *counts, struct sampled_weights *weights_ret);

#endif
