/* Which branches the processor is to record, by the names of perf record -j. */
#ifndef PERF_KINDS_BRANCH_FILTER_H
#define PERF_KINDS_BRANCH_FILTER_H

#include <stdint.h>

#define BRANCH_FILTER_NAMES                                                                      \
	"any, any_call, any_ret, ind_call, ind_jmp, call, cond, stack, abort_tx, in_tx, no_tx, " \
	"save_type, priv, u, k and hv"

/*
 * "any_call,u" becomes bits of perf_event_attr.branch_sample_type. As in perf, modes alone (u, k,
 * hv) are those of all branches, and without a mode the kernel takes the event's. 0, or -EINVAL: a
 * part of @text is no name.
 */
int branch_filter_parse(const char *text, uint64_t *filter_ret);

#endif
