#include "report/stacks/sample_order.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

static int compare_rows(const void *a, const void *b, void *list)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct sample_row *rows = list;

	if (rows[x].time != rows[y].time)
		return rows[x].time < rows[y].time ? -1 : 1;
	return (x > y) - (x < y);
}

/* Rows that are not selected are in no group. */
static int sort_rows(struct sample_order *order, const struct sample_rows *rows,
		     const struct path_groups *groups)
{
	_cleanup_free_ uint32_t *next = calloc(groups->n_groups + 1u, sizeof(*next));
	uint32_t at = 0;

	if (!next)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		if (groups->group_of[rows->rows[i].node] != PATH_GROUP_NONE)
			next[groups->group_of[rows->rows[i].node]]++;
	}
	for (uint32_t group = 0; group < groups->n_groups; group++) {
		const uint32_t n = next[group];

		next[group] = order->first[group] = at;
		at += n;
	}
	order->first[groups->n_groups] = at;
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const uint32_t group = groups->group_of[rows->rows[i].node];

		if (group != PATH_GROUP_NONE)
			order->rows[next[group]++] = i;
	}
	for (uint32_t group = 0; group < groups->n_groups; group++)
		qsort_r(order->rows + order->first[group],
			order->first[group + 1] - order->first[group], sizeof(*order->rows),
			compare_rows, rows->rows);
	return 0;
}

static struct metric scale_of(const struct profile *profile, const struct sample_row *row)
{
	const struct sample_rows *rows = profile->rows;

	if (!rows->n_runs)
		return profile->metrics[row->metric];
	const struct run_times *times = &rows->runs[row->run].times[row->metric];
	return (struct metric){ .time_enabled_ns = times->enabled_ns,
				.time_running_ns = times->running_ns };
}

/* What the rows of a node have been given so far. */
struct given {
	uint64_t weight, scaled;
	uint32_t run, last_row;
};

/* The scaled sum of a node's rows up to this one grows by this row's weight, so that the roundings
 * do not add up. */
static void scale_row(struct sample_order *order, const struct profile *profile, uint32_t i,
		      struct given *given)
{
	const struct sample_row *row = &profile->rows->rows[i];
	const struct metric scale = scale_of(profile, row);
	uint64_t before;

	if (given->run != row->run)
		given->weight = 0;
	before = given->weight;
	given->run = row->run;
	given->last_row = i;
	given->weight += row->weight;
	order->weights[i] = metric_can_be_scaled(&scale) ? metric_scale(&scale, given->weight) -
								   metric_scale(&scale, before)
							 : row->weight;
	given->scaled += order->weights[i];
}

/* Selected paths are sums of several nodes, each of which was rounded: the last row makes good. */
static void settle(struct sample_order *order, const struct cct *cct, const struct given *given)
{
	const size_t n = (size_t)cct->n_nodes * cct->n_metrics;

	for (size_t i = 0; i < n; i++) {
		const uint64_t cost = cct->costs[i].weight;
		uint64_t *weight = &order->weights[given[i].last_row];

		if (cct->costs[i].samples && *weight + cost >= given[i].scaled)
			*weight += cost - given[i].scaled;
	}
}

static int scale_rows(struct sample_order *order, const struct profile *profile)
{
	const struct cct *cct = profile->cct;
	const struct sample_rows *rows = profile->rows;
	_cleanup_free_ struct given *given =
		calloc((size_t)cct->n_nodes * cct->n_metrics, sizeof(*given));

	order->weights = calloc(rows->n_rows + 1u, sizeof(*order->weights));
	if (!given || !order->weights)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const struct sample_row *row = &rows->rows[i];

		scale_row(order, profile, i,
			  &given[(size_t)row->node * cct->n_metrics + row->metric]);
	}
	settle(order, cct, given);
	return 0;
}

int sample_order_init(struct sample_order *order, const struct profile *profile,
		      const struct path_groups *groups)
{
	const struct sample_rows *rows = profile->rows;
	bool is_scaled = false;

	*order = (struct sample_order){
		.rows = calloc(rows->n_rows + 1u, sizeof(*order->rows)),
		.first = calloc(groups->n_groups + 1u, sizeof(*order->first)),
	};
	if (!order->rows || !order->first)
		return -ENOMEM;
	int err = sort_rows(order, rows, groups);
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		is_scaled |= profile->metrics[i].is_scaled;
	return !err && is_scaled ? scale_rows(order, profile) : err;
}

void sample_order_deinit(struct sample_order *order)
{
	free(order->rows);
	free(order->first);
	free(order->weights);
}
