#include "report/branches/stack_calls.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

void stack_calls_deinit(struct stack_calls *calls)
{
	free(calls->calls);
	free(calls->pending);
	*calls = (struct stack_calls){ 0 };
}

int stack_calls_add(struct stack_calls *calls, const struct stack_call *call, uint32_t *call_ret)
{
	if (array_reserve(calls->calls, calls->n, calls->n_allocated, 1))
		return -ENOMEM;
	*call_ret = calls->n;
	calls->calls[calls->n++] = *call;
	return 0;
}

static void set_found(struct stack_call *call, uint32_t context, uint32_t of_caller)
{
	call->is_found = true;
	call->context = context;
	call->of_caller = of_caller;
}

/* The frames that may lie between a call and its caller on the sample's path, without being calls
 * of the stack. */
enum between { NOTHING, KERNEL, ANYTHING };

/* The place of a function on the path, at @at or, as far as may be, after it; else callers->n. */
static size_t find_on_path(const struct branch_contexts *contexts,
			   const struct branch_callers *callers, size_t at, uint32_t function,
			   enum between between)
{
	for (; at < callers->n; at++) {
		const struct branch_context *here = &contexts->all[callers->contexts[at]];

		if (here->function == function)
			return at;
		if (between == NOTHING || (between == KERNEL && !here->is_kernel))
			return callers->n;
	}
	return callers->n;
}

bool stack_calls_fit(struct stack_calls *calls, const struct branch_contexts *contexts,
		     const uint32_t *active, size_t n_active, const struct branch_callers *callers)
{
	enum between between = KERNEL; /* branches may be of user mode only */
	size_t at = 0;

	for (size_t i = n_active; i-- > 0;) {
		struct stack_call *call = &calls->calls[active[i]];

		if (call->is_code_unknown) {
			const uint32_t below =
				at < callers->n ? callers->contexts[at] : CONTEXT_UNKNOWN;

			set_found(call, below, below);
			between = ANYTHING;
			continue;
		}
		at = find_on_path(contexts, callers, at, call->function.function, between);
		if (at == callers->n) {
			for (; i < n_active; i++)
				calls->calls[active[i]].is_found = false;
			return false;
		}
		set_found(call, callers->contexts[at],
			  at + 1 < callers->n ? callers->contexts[at + 1] : CONTEXT_TOP);
		at++;
		between = NOTHING;
	}
	return true;
}

/* Its link has contexts, or it has none. */
static int find(struct stack_calls *calls, struct branch_contexts *contexts, uint32_t index)
{
	struct stack_call *call = &calls->calls[index];
	uint32_t context, of_caller = CONTEXT_UNKNOWN;
	int err = 0;

	if (call->link != CALL_NONE)
		of_caller = call->is_replaced ? calls->calls[call->link].of_caller
					      : calls->calls[call->link].context;
	context = of_caller == CONTEXT_TOP ? CONTEXT_UNKNOWN : of_caller;
	if (!call->is_code_unknown)
		err = branch_contexts_enter(contexts, of_caller, &call->function, &context);
	if (!err)
		set_found(call, context, of_caller);
	return err;
}

int stack_calls_context(struct stack_calls *calls, struct branch_contexts *contexts, uint32_t call,
			uint32_t *context_ret)
{
	uint32_t n = 0;

	/* Links lead to calls that are active later, or below, so they end. */
	for (uint32_t at = call; at != CALL_NONE && !calls->calls[at].is_found;
	     at = calls->calls[at].link) {
		if (array_reserve(calls->pending, n, calls->pending_allocated, 1))
			return -ENOMEM;
		calls->pending[n++] = at;
	}
	while (n) {
		int err = find(calls, contexts, calls->pending[--n]);

		if (err)
			return err;
	}
	*context_ret = calls->calls[call].context;
	return 0;
}
