/* The calling contexts of the function whose values are shown: the functions that called it. */
#ifndef COLLECTOR_VALUES_VALUE_CONTEXTS_H
#define COLLECTOR_VALUES_VALUE_CONTEXTS_H

#include "collector/values/value_stack.h"
#include "report/branches/branch_contexts.h"

/*
 * The context of the function that is @n_outer functions into frame @at of the present walk. A path
 * that is not whole begins with callers that are not known. 0 or -ENOMEM.
 */
int value_contexts_find(struct branch_contexts *contexts, struct symbolizer *symbolizer,
			const struct value_stack *stack, size_t at, size_t n_outer, bool is_whole,
			uint32_t *context_ret);
/* The functions of a context, as in struct value_row; @contexts: struct branch_contexts. */
char *value_contexts_callers(void *contexts, uint32_t context);

#endif
