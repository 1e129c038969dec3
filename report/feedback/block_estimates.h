/*
 * How often the blocks of a function were executed and the function was entered, estimated from the
 * weights of samples at its instructions: sampled_code.h says how.
 *
 * Use: add to ->weights, block_estimates_make(), read ->counts; block_estimates_clear() before
 * other weights.
 */
#ifndef REPORT_FEEDBACK_BLOCK_ESTIMATES_H
#define REPORT_FEEDBACK_BLOCK_ESTIMATES_H

#include "report/branches/flow_graph.h"

struct block_estimates {
	const struct flow_graph *graph; /* borrowed */
	uint64_t *weights;              /* by instruction */
	uint64_t *counts;               /* by instruction: of its block */
	bool *is_once; /* by instruction: executed at most once when the function is entered */
	uint64_t entered;
};

/* 0 or -ENOMEM; it may be deinitialized in any case. */
int block_estimates_init(struct block_estimates *estimates, const struct flow_graph *graph);
void block_estimates_deinit(struct block_estimates *estimates);
/* Adds the weight of samples at an offset. false: no instruction is there. */
bool block_estimates_add(struct block_estimates *estimates, uint64_t offset, uint64_t weight);
void block_estimates_make(struct block_estimates *estimates);
void block_estimates_clear(struct block_estimates *estimates);
/* The instruction that contains an offset, or FLOW_NONE. */
uint32_t block_estimates_instruction_at(const struct flow_graph *graph, uint64_t offset);

#endif
