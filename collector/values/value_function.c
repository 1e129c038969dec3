#include "collector/values/value_function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether a function is the one that was asked for. */
enum wanted { NOT_ASKED, IS_ANOTHER, IS_WANTED };

int value_function_init(struct value_function *function, const char *name)
{
	*function = (struct value_function){ .query = function_query_create(name) };
	pthread_mutex_init(&function->lock, NULL);
	return function->query ? 0 : -ENOMEM;
}

void value_function_deinit(struct value_function *function)
{
	pthread_mutex_destroy(&function->lock);
	function_query_destroy(function->query);
	free(function->wanted);
	pair_map_deinit(&function->depths);
	*function = (struct value_function){ .query = NULL };
}

/* 1 or 0, or -ENOMEM. */
static int is_wanted(struct value_function *function, const struct frame_name *name)
{
	if (name->function >= function->n_wanted) {
		const uint32_t n = name->function + 1024;
		uint8_t *larger = realloc(function->wanted, n);

		if (!larger)
			return -ENOMEM;
		memset(larger + function->n_wanted, NOT_ASKED, n - function->n_wanted);
		function->wanted = larger;
		function->n_wanted = n;
	}
	uint8_t *wanted = &function->wanted[name->function];
	if (*wanted == NOT_ASKED)
		*wanted = function_query_match(function->query, name) == FUNCTION_DIFFERS
				  ? IS_ANOTHER
				  : IS_WANTED;
	return *wanted == IS_WANTED;
}

/* As value_function_look_up(), not kept. */
static int ask_symbolizer(struct value_function *function, struct symbolizer *symbolizer,
			  const struct frame *frame, struct value_depth *depth_ret)
{
	const struct frame_name *names;
	size_t n_names;
	int err = symbolizer_expand(symbolizer, frame, &names, &n_names);

	if (err)
		return err;
	*depth_ret = (struct value_depth){ .n = (uint16_t)n_names };
	for (size_t i = n_names; i > 0 && !depth_ret->n_outer; i--) {
		int found = is_wanted(function, &names[i - 1]);

		if (found < 0)
			return found;
		depth_ret->n_outer = found ? (uint16_t)i : 0;
	}
	return 0;
}

static uint64_t key_of(const struct frame *frame)
{
	return (uint64_t)frame->kind << 32 | frame->module;
}

/* A frame has fewer functions than 16 bits can say (DEBUG_INFO_MAX_INLINED). */
static struct value_depth unpack(uint32_t packed)
{
	return (struct value_depth){ (uint16_t)(packed >> 16), (uint16_t)packed };
}

static int keep(struct value_function *function, const struct frame *frame,
		struct value_depth depth)
{
	const uint32_t packed = (uint32_t)depth.n_outer << 16 | depth.n;

	pthread_mutex_lock(&function->lock);
	int err = pair_map_add(&function->depths, frame->offset, key_of(frame), packed);
	pthread_mutex_unlock(&function->lock);
	return err;
}

int value_function_look_up(struct value_function *function, struct symbolizer *symbolizer,
			   const struct frame *frame, struct value_depth *depth_ret)
{
	/* Only this thread adds to them. */
	const uint32_t known = pair_map_find(&function->depths, frame->offset, key_of(frame));

	if (known != PAIR_MAP_NONE) {
		*depth_ret = unpack(known);
		return 0;
	}
	int err = ask_symbolizer(function, symbolizer, frame, depth_ret);
	return err ? err : keep(function, frame, *depth_ret);
}

struct value_depth value_function_known(struct value_function *function, const struct frame *frame)
{
	struct value_depth depth = { 0 };

	pthread_mutex_lock(&function->lock);
	const uint32_t known = pair_map_find(&function->depths, frame->offset, key_of(frame));
	pthread_mutex_unlock(&function->lock);
	if (known != PAIR_MAP_NONE)
		depth = unpack(known);
	return depth;
}

int value_function_find(struct value_function *function, struct symbolizer *symbolizer,
			const struct value_stack *stack, size_t *at_ret,
			struct value_depth *depth_ret)
{
	for (size_t i = 0; i < value_stack_n(stack); i++) {
		int err = value_function_look_up(function, symbolizer, value_stack_frame(stack, i),
						 depth_ret);

		if (err)
			return err;
		*at_ret = i;
		if (depth_ret->n_outer)
			return 1;
	}
	return 0;
}
