#include "collector/values/value_function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether a function is the one that was asked for. */
enum wanted { NOT_ASKED, IS_ANOTHER, IS_WANTED };

int value_function_init(struct value_function *function, const char *name)
{
	*function = (struct value_function){ .query = function_query_create(name) };
	return function->query ? 0 : -ENOMEM;
}

void value_function_deinit(struct value_function *function)
{
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

/* The innermost one of the frame: its depth plus 1; 0: none; -ENOMEM. */
static int look_up(struct value_function *function, struct symbolizer *symbolizer,
		   const struct frame *frame)
{
	const struct frame_name *names;
	size_t n_names;
	int err = symbolizer_expand(symbolizer, frame, &names, &n_names);

	if (err)
		return err;
	for (size_t i = n_names; i > 0; i--) {
		int found = is_wanted(function, &names[i - 1]);

		if (found)
			return found < 0 ? found : (int)i;
	}
	return 0;
}

/* As look_up(), once per frame. */
static int find_depth(struct value_function *function, struct symbolizer *symbolizer,
		      const struct frame *frame)
{
	const uint64_t key = (uint64_t)frame->kind << 32 | frame->module;
	const uint32_t known = pair_map_find(&function->depths, frame->offset, key);

	if (known != PAIR_MAP_NONE)
		return (int)known;
	int depth = look_up(function, symbolizer, frame);
	if (depth < 0)
		return depth;
	return pair_map_add(&function->depths, frame->offset, key, (uint32_t)depth) ? -ENOMEM
										    : depth;
}

int value_function_find(struct value_function *function, struct symbolizer *symbolizer,
			const struct value_stack *stack, size_t *at_ret, size_t *depth_ret)
{
	for (size_t i = 0; i < value_stack_n(stack); i++) {
		int depth = find_depth(function, symbolizer, value_stack_frame(stack, i));

		if (depth < 0)
			return depth;
		if (!depth)
			continue;
		*at_ret = i;
		*depth_ret = (size_t)depth - 1;
		return 1;
	}
	return 0;
}
