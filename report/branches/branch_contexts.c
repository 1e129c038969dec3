#include "report/branches/branch_contexts.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

int branch_contexts_init(struct branch_contexts *contexts)
{
	*contexts = (struct branch_contexts){ 0 };
	if (array_reserve(contexts->all, 0, contexts->n_allocated, 1))
		return -ENOMEM;
	contexts->all[contexts->n++] = (struct branch_context){ .parent = CONTEXT_TOP,
								.function = UINT32_MAX,
								.name = "[callers not known]" };
	return 0;
}

void branch_contexts_deinit(struct branch_contexts *contexts)
{
	free(contexts->all);
	pair_map_deinit(&contexts->by_parent);
	*contexts = (struct branch_contexts){ 0 };
}

int branch_contexts_enter(struct branch_contexts *contexts, uint32_t parent,
			  const struct branch_context *callee, uint32_t *context_ret)
{
	for (uint32_t at = parent; at != CONTEXT_TOP; at = contexts->all[at].parent) {
		*context_ret = at;
		if (contexts->all[at].function == callee->function)
			return 0;
	}
	*context_ret = pair_map_find(&contexts->by_parent, parent, callee->function);
	if (*context_ret != PAIR_MAP_NONE)
		return 0;
	if (array_reserve(contexts->all, contexts->n, contexts->n_allocated, 1) ||
	    pair_map_add(&contexts->by_parent, parent, callee->function, contexts->n))
		return -ENOMEM;
	*context_ret = contexts->n;
	contexts->all[contexts->n] = *callee;
	contexts->all[contexts->n++].parent = parent;
	return 0;
}
