/*
 * Finds the frames of a function that the user has named, compiled or inlined, in stacks. What is
 * known of a frame's functions is kept, so that most frames cost one look-up.
 */
#ifndef COLLECTOR_VALUES_VALUE_FUNCTION_H
#define COLLECTOR_VALUES_VALUE_FUNCTION_H

#include "cct/base/pair_map.h"
#include "collector/values/value_stack.h"
#include "report/names/function_query.h"

struct value_function {
	struct function_query *query;
	uint8_t *wanted; /* by the symbolizer's number of a function */
	uint32_t n_wanted;
	struct pair_map depths; /* by frame: how deep it is inlined there, plus 1; 0: not there */
};

/* @name is borrowed. 0 or -ENOMEM. */
int value_function_init(struct value_function *function, const char *name);
/* All zero is fine. */
void value_function_deinit(struct value_function *function);
/*
 * 1: *@at_ret is the innermost frame of the stack's present walk that has the function, and
 * *@depth_ret the number of calls by which it is inlined there; 0: none; or -ENOMEM. The same
 * symbolizer each time.
 */
int value_function_find(struct value_function *function, struct symbolizer *symbolizer,
			const struct value_stack *stack, size_t *at_ret, size_t *depth_ret);

#endif
