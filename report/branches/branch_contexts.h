/*
 * Calling contexts by function: a tree in which a function has one child for each function that it
 * calls. A function that is active already keeps its context when it is called again, so the tree
 * is as deep as there are functions: Ammons, Ball and Larus, Exploiting hardware performance
 * counters with flow and context sensitive profiling (PLDI 1997), section 4.1.
 */
#ifndef REPORT_BRANCHES_BRANCH_CONTEXTS_H
#define REPORT_BRANCHES_BRANCH_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/base/pair_map.h"

#define CONTEXT_TOP     UINT32_MAX /* above the outermost functions */
#define CONTEXT_UNKNOWN 0          /* in place of callers that are not known */

struct branch_context {
	uint32_t parent;   /* CONTEXT_TOP: none */
	uint32_t function; /* the symbolizer's number */
	const char *name;  /* borrowed */
	bool is_kernel;
};

struct branch_contexts {
	struct branch_context *all;
	uint32_t n, n_allocated;
	struct pair_map by_parent;
};

/* 0 or -ENOMEM. */
int branch_contexts_init(struct branch_contexts *contexts);
void branch_contexts_deinit(struct branch_contexts *contexts);
/* The context of a function that is called in the context @parent, or CONTEXT_TOP. ->parent of
 * @callee is not looked at. 0 or -ENOMEM. */
int branch_contexts_enter(struct branch_contexts *contexts, uint32_t parent,
			  const struct branch_context *callee, uint32_t *context_ret);

#endif
