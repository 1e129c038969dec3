#include "cct/paths/row_weights.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

struct weighing {
	const struct profile *profile;
	uint64_t *weights; /* [row] */
	uint64_t *sums;    /* [node]: all 0 between two uses */
	uint32_t *last;    /* [node]: its last row, where its sum is not 0 */
};

/* The event's times in the row's run: those of the whole where rows have no runs. */
static struct metric scale_of(const struct profile *profile, const struct sample_row *row)
{
	const struct sample_rows *rows = profile->rows;

	if (!rows->n_runs || !rows->runs[row->run].times)
		return profile->metrics[row->metric];
	const struct run_times *times = &rows->runs[row->run].times[row->metric];
	return (struct metric){ .time_enabled_ns = times->enabled_ns,
				.time_running_ns = times->running_ns };
}

/* Rows of one run and metric: each gets what its weight adds to the scaled sum of its node, so that
 * the roundings do not add up. */
static void scale_rows(struct weighing *weighing, uint32_t first, uint32_t end)
{
	const struct sample_row *rows = weighing->profile->rows->rows;
	const struct metric scale = scale_of(weighing->profile, &rows[first]);
	const bool is_scaled = weighing->profile->metrics[rows[first].metric].is_scaled &&
			       metric_can_be_scaled(&scale);

	for (uint32_t i = first; i < end; i++) {
		uint64_t *sum = &weighing->sums[rows[i].node];
		const uint64_t before = is_scaled ? metric_scale(&scale, *sum) : *sum;

		*sum += rows[i].weight;
		weighing->weights[i] = (is_scaled ? metric_scale(&scale, *sum) : *sum) - before;
	}
	for (uint32_t i = first; i < end; i++)
		weighing->sums[rows[i].node] = 0;
}

/* Selected paths are sums of several nodes, each of which was rounded: the last row makes good. */
static void settle_metric(struct weighing *weighing, uint32_t metric)
{
	const struct cct *cct = weighing->profile->cct;
	const struct sample_rows *rows = weighing->profile->rows;

	for (uint32_t i = 0; i < rows->n_rows; i++) {
		if (rows->rows[i].metric != metric)
			continue;
		weighing->sums[rows->rows[i].node] += weighing->weights[i];
		weighing->last[rows->rows[i].node] = i;
	}
	for (uint32_t node = 0; node < cct->n_nodes; node++) {
		const uint64_t cost = cct_cost(cct, node, metric)->weight;
		uint64_t *weight = &weighing->weights[weighing->last[node]];

		if (weighing->sums[node] && *weight + cost >= weighing->sums[node])
			*weight += cost - weighing->sums[node];
		weighing->sums[node] = 0;
	}
}

/* Rows of a run and metric are next to each other. */
static void scale_all(struct weighing *weighing)
{
	const struct profile *profile = weighing->profile;
	const struct sample_rows *rows = profile->rows;
	uint32_t end;

	for (uint32_t first = 0; first < rows->n_rows; first = end) {
		end = first + 1;
		while (end < rows->n_rows && rows->rows[end].run == rows->rows[first].run &&
		       rows->rows[end].metric == rows->rows[first].metric)
			end++;
		scale_rows(weighing, first, end);
	}
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (profile->metrics[i].is_scaled)
			settle_metric(weighing, i);
	}
}

static bool has_scaled_metric(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (profile->metrics[i].is_scaled)
			return true;
	}
	return false;
}

int row_weights_create(const struct profile *profile, uint64_t **weights_ret)
{
	const uint32_t n_nodes = profile->cct->n_nodes;

	*weights_ret = NULL;
	if (!has_scaled_metric(profile))
		return 0;
	struct weighing weighing = {
		.profile = profile,
		.weights = calloc(profile->rows->n_rows + 1u, sizeof(*weighing.weights)),
		.sums = calloc(n_nodes, sizeof(*weighing.sums)),
		.last = calloc(n_nodes, sizeof(*weighing.last)),
	};
	if (weighing.weights && weighing.sums && weighing.last) {
		scale_all(&weighing);
		*weights_ret = steal_ptr(weighing.weights);
	}
	free(weighing.weights);
	free(weighing.sums);
	free(weighing.last);
	return *weights_ret ? 0 : -ENOMEM;
}
