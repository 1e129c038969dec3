#include "collector/values/value_contexts.h"

#include <stdio.h>
#include <stdlib.h>

int value_contexts_find(struct branch_contexts *contexts, struct symbolizer *symbolizer,
			const struct value_stack *stack, size_t at, size_t n_outer, bool is_whole,
			uint32_t *context_ret)
{
	const struct frame_name *names;
	size_t n_names;

	*context_ret = is_whole ? CONTEXT_TOP : CONTEXT_UNKNOWN;
	for (size_t i = value_stack_n(stack); i-- > at;) {
		int err = symbolizer_expand(symbolizer, value_stack_frame(stack, i), &names,
					    &n_names);
		const size_t n = i == at ? n_outer - 1 : n_names;

		for (size_t j = 0; j < n && !err; j++) {
			const struct branch_context caller = { .function = names[j].function,
							       .name = names[j].name };

			err = branch_contexts_enter(contexts, *context_ret, &caller, context_ret);
		}
		if (err)
			return err;
	}
	return 0;
}

char *value_contexts_callers(void *contexts, uint32_t context)
{
	const struct branch_contexts *all = contexts;
	char *callers = NULL;
	size_t size;
	FILE *out = open_memstream(&callers, &size);

	if (!out)
		return NULL;
	for (uint32_t at = context; at != CONTEXT_TOP; at = all->all[at].parent) {
		fputs(all->all[at].name, out);
		putc('\0', out);
	}
	putc('\0', out);
	if (!fclose(out))
		return callers;
	free(callers);
	return NULL;
}
