/* The order of all parts of a finished sum: it depends on what they are, not on when they came. */
#ifndef CCT_MERGE_MERGE_ORDER_H
#define CCT_MERGE_MERGE_ORDER_H

#include "cct/merge/merge_state.h"

/*
 * Gives the modules, metrics, processes, threads and wakers of @sum their numbers in @sorted, which
 * is empty. Metrics stay as they are if all profiles have the same. 0 or -ENOMEM.
 */
int merge_sort_tables(struct merge_state *sorted, const struct merge_state *sum);
/* The order of @sum's addresses that are used, and of what names lack. 0 or -ENOMEM; @order is the
 * caller's to release in each case. */
int merge_order_names(const struct merge_state *sum, struct merge_order *order);
/* The order of @sum's nodes: a walk from the root, children by @frames: what each of the
 * tree's distinct frames, by its number, is in the sorted sum. */
int merge_order_nodes(const struct merge_state *sum, const struct frame *frames,
		      struct merge_order *order);
void merge_order_deinit(struct merge_order *order);

#endif
