/*
 * The samples of a profile with rows, group by group in the order of time, with weights that add up
 * to the costs of its tree: where an event was multiplexed, rows have weights that are not scaled.
 */
#ifndef REPORT_STACKS_SAMPLE_ORDER_H
#define REPORT_STACKS_SAMPLE_ORDER_H

#include "report/stacks/path_groups.h"

struct sample_order {
	uint32_t *rows;    /* indices, by group, then time, then as in the profile */
	uint32_t *first;   /* by group, and an end: in ->rows */
	uint64_t *weights; /* by index of the row; NULL: as in the rows */
};

/* Of a profile with rows. 0 or -ENOMEM; it may be deinitialized in any case. */
int sample_order_init(struct sample_order *order, const struct profile *profile,
		      const struct path_groups *groups);
void sample_order_deinit(struct sample_order *order);
static inline uint64_t sample_order_weight(const struct sample_order *order,
					   const struct sample_rows *rows, uint32_t row)
{
	return order->weights ? order->weights[row] : rows->rows[row].weight;
}

#endif
