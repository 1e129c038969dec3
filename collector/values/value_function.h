/*
 * Finds the frames of a function that the user has named, compiled or inlined, in stacks. What is
 * known of a frame's functions is kept, so that most frames cost one look-up.
 */
#ifndef COLLECTOR_VALUES_VALUE_FUNCTION_H
#define COLLECTOR_VALUES_VALUE_FUNCTION_H

#include <pthread.h>

#include "cct/base/pair_map.h"
#include "collector/values/value_stack.h"
#include "report/names/function_query.h"

/* The functions at a frame. */
struct value_depth {
	uint16_t n_outer; /* from the outermost on, those down to the one that was named; 0: it is
			     not there */
	uint16_t n;       /* all */
};

struct value_function {
	struct function_query *query;
	uint8_t *wanted; /* by the symbolizer's number of a function */
	uint32_t n_wanted;
	struct pair_map depths; /* by frame: a struct value_depth */
	pthread_mutex_t lock;   /* of what adds to ->depths, and of other threads' look-ups */
};

/* @name is borrowed. 0 or -ENOMEM. */
int value_function_init(struct value_function *function, const char *name);
/* All zero is fine. */
void value_function_deinit(struct value_function *function);
/* The same symbolizer each time. 0 or -ENOMEM. */
int value_function_look_up(struct value_function *function, struct symbolizer *symbolizer,
			   const struct frame *frame, struct value_depth *depth_ret);
/* What value_function_look_up() has found for a frame before; nothing else. By any thread. */
struct value_depth value_function_known(struct value_function *function, const struct frame *frame);
/* 1: *@at_ret is the innermost frame of the stack's present walk that has the function, and what
 * else it has; 0: none; or -ENOMEM. */
int value_function_find(struct value_function *function, struct symbolizer *symbolizer,
			const struct value_stack *stack, size_t *at_ret,
			struct value_depth *depth_ret);

#endif
