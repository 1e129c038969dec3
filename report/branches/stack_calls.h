/*
 * Who called whom within one stack of branches, and so the contexts of all functions that were
 * active in it. The sample's call path has the callers of the last one. The caller of a function
 * that was left before is below it, or is where it returned to.
 */
#ifndef REPORT_BRANCHES_STACK_CALLS_H
#define REPORT_BRANCHES_STACK_CALLS_H

#include <stddef.h>

#include "report/branches/branch_contexts.h"

#define CALL_NONE UINT32_MAX

/* A function that was entered, or gone on with; or code that is not known, which stands for any
 * number of functions. */
struct stack_call {
	struct branch_context function;
	bool is_code_unknown;
	bool is_replaced; /* ->link jumped in its place: both have one caller */
	bool is_found;    /* both contexts are known: */
	uint32_t link;    /* its caller; CALL_NONE: not known */
	uint32_t context, of_caller;
};

struct stack_calls {
	struct stack_call *calls;
	uint32_t n, n_allocated;
	uint32_t *pending; /* used while contexts are looked for */
	uint32_t pending_allocated;
};

/* The contexts of a sample's call path, from the sampled function to its outermost caller. */
struct branch_callers {
	const uint32_t *contexts;
	size_t n; /* 0: not known */
};

void stack_calls_deinit(struct stack_calls *calls);
/* @caller: its index, or CALL_NONE. *@call_ret is its index. 0 or -ENOMEM. */
int stack_calls_add(struct stack_calls *calls, const struct stack_call *call, uint32_t *call_ret);
/*
 * Finds the contexts of the calls that were active at the end of the stack, @active: from the
 * outermost to the sampled one. false: they are other functions than the sample's path has.
 */
bool stack_calls_fit(struct stack_calls *calls, const struct branch_contexts *contexts,
		     const uint32_t *active, size_t n_active, const struct branch_callers *callers);
/* The context of a call. 0 or -ENOMEM. */
int stack_calls_context(struct stack_calls *calls, struct branch_contexts *contexts, uint32_t call,
			uint32_t *context_ret);

#endif
