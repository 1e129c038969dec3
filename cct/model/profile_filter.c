#include "cct/model/profile_filter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/text/name_pattern.h"

static void keep_costs(struct cct *cct, const bool *is_kept, uint32_t n_kept)
{
	size_t n_costs = 0, n_all = (size_t)cct->n_nodes * cct->n_metrics;

	for (size_t i = 0; i < n_all; i++) {
		if (!is_kept[i % cct->n_metrics])
			continue;
		if (cct->squares)
			cct->squares[n_costs] = cct->squares[i];
		cct->costs[n_costs++] = cct->costs[i];
	}
	cct->n_metrics = n_kept;
}

/* The longest waits are of one metric, which gets another index or is left out. */
static void keep_longest(struct cct *cct, const bool *is_kept)
{
	uint32_t n_before = 0;

	if (!cct->longest)
		return;
	for (uint32_t i = 0; i < cct->longest_metric; i++)
		n_before += is_kept[i];
	if (is_kept[cct->longest_metric]) {
		cct->longest_metric = n_before;
		return;
	}
	free(cct->longest);
	cct->longest = NULL;
	cct->n_longest_allocated = 0;
	cct->longest_metric = CCT_NONE;
}

static void move_row(struct sample_rows *rows, uint32_t to, uint32_t from)
{
	rows->rows[to] = rows->rows[from];
	if (rows->sums)
		rows->sums[to] = rows->sums[from];
}

static void keep_times_of_metrics(struct sample_rows *rows, const bool *is_kept, uint32_t n_all)
{
	for (uint32_t run = 0; run < rows->n_runs; run++) {
		uint32_t n_kept = 0;

		for (uint32_t i = 0; i < n_all; i++) {
			if (is_kept[i])
				rows->runs[run].times[n_kept++] = rows->runs[run].times[i];
		}
	}
}

/* @indices: of the metrics that are kept, from now on. */
static void keep_rows_of_metrics(struct sample_rows *rows, const bool *is_kept,
				 const uint16_t *indices)
{
	uint32_t n_kept = 0;

	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const uint16_t metric = rows->rows[i].metric;

		if (!is_kept[metric])
			continue;
		move_row(rows, n_kept, i);
		rows->rows[n_kept++].metric = indices[metric];
	}
	rows->n_rows = n_kept;
}

int profile_keep_metrics(struct profile *profile, const char *const *patterns, size_t n_patterns)
{
	uint32_t n_all = profile->n_metrics, n_kept = 0;
	_cleanup_free_ bool *is_kept = calloc(n_all + 1, sizeof(*is_kept));
	_cleanup_free_ uint16_t *indices = calloc(n_all + 1, sizeof(*indices));

	if (!is_kept || !indices)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_all; i++) {
		indices[i] = (uint16_t)n_kept;
		n_kept += is_kept[i] =
			name_patterns_match(patterns, n_patterns, profile->metrics[i].name);
	}
	if (!n_kept || n_kept == n_all)
		return 0;
	keep_longest(profile->cct, is_kept);
	keep_costs(profile->cct, is_kept, n_kept);
	if (profile->rows) {
		keep_rows_of_metrics(profile->rows, is_kept, indices);
		keep_times_of_metrics(profile->rows, is_kept, n_all);
	}
	profile->n_metrics = 0;
	for (uint32_t i = 0; i < n_all; i++) {
		if (is_kept[i])
			profile->metrics[profile->n_metrics++] = profile->metrics[i];
		else
			metric_deinit(&profile->metrics[i]);
	}
	return 0;
}

int profile_join_threads(struct profile *profile)
{
	const struct cct *from = profile->cct;
	struct cct *into = cct_create_like(from);
	int err = into ? cct_merge_without(into, from, FRAME_THREAD) : -ENOMEM;

	if (err) {
		cct_destroy(into);
		return err;
	}
	cct_destroy(profile->cct);
	profile->cct = into;
	sample_rows_destroy(steal_ptr(profile->rows));
	return 0;
}

/* The rows of a run and metric, from @first on: their end. */
static uint32_t end_of_metric(const struct sample_rows *rows, uint32_t first)
{
	uint32_t end = first + 1;

	while (end < rows->n_rows && rows->rows[end].run == rows->rows[first].run &&
	       rows->rows[end].metric == rows->rows[first].metric)
		end++;
	return end;
}

/* Scales the weights of rows that were counted, which are of one run and metric. @weights: [node],
 * all 0. */
static void scale_counted(struct profile *profile, uint32_t first, uint32_t end,
			  const struct metric *scale, uint64_t *weights)
{
	const struct sample_row *rows = profile->rows->rows;

	for (uint32_t i = first; i < end; i++)
		weights[rows[i].node] += rows[i].weight;
	for (uint32_t i = first; i < end; i++) {
		uint64_t *weight = &weights[rows[i].node];
		const uint64_t more = metric_scale(scale, *weight) - *weight;

		cct_cost(profile->cct, rows[i].node, rows[i].metric)->weight += more;
		profile->metrics[rows[i].metric].total += more;
		*weight = 0;
	}
}

static struct metric scale_of_run(const struct sample_rows *rows, uint32_t run, uint32_t metric)
{
	const struct run_times *times = &rows->runs[run].times[metric];

	return (struct metric){ .time_enabled_ns = times->enabled_ns,
				.time_running_ns = times->running_ns };
}

/* As profile_scale() has scaled each run before they were merged. */
static int scale_runs(struct profile *profile)
{
	const struct sample_rows *rows = profile->rows;
	_cleanup_free_ uint64_t *weights = calloc(profile->cct->n_nodes, sizeof(*weights));
	uint32_t end;

	if (!weights)
		return -ENOMEM;
	for (uint32_t first = 0; first < rows->n_rows; first = end) {
		const struct metric scale =
			scale_of_run(rows, rows->rows[first].run, rows->rows[first].metric);

		end = end_of_metric(rows, first);
		if (metric_can_be_scaled(&scale))
			scale_counted(profile, first, end, &scale, weights);
	}
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		for (uint32_t run = 0; run < rows->n_runs; run++) {
			const struct metric scale = scale_of_run(rows, run, i);

			profile->metrics[i].is_scaled |= metric_can_be_scaled(&scale);
		}
	}
	return 0;
}

/* Leaves the rows out, and counts the others again. 0 or -ENOMEM. */
static int count_kept(struct profile *profile, const bool *is_kept)
{
	struct sample_rows *rows = profile->rows;
	uint32_t n_kept = 0;

	sample_rows_uncount(profile->cct, &profile->quality);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		profile->metrics[i].samples = profile->metrics[i].total = 0;
		profile->metrics[i].is_scaled = false;
	}
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const struct sample_row *row = &rows->rows[i];
		const uint64_t samples = sample_rows_samples_of(rows, i);

		if (!is_kept[i]) {
			profile->quality.counts[QUALITY_FILTERED] += samples;
			continue;
		}
		if (sample_rows_count(rows, i, profile->cct, &profile->quality))
			return -ENOMEM;
		profile->metrics[row->metric].samples += samples;
		profile->metrics[row->metric].total += row->weight;
		move_row(rows, n_kept++, i);
	}
	rows->n_rows = n_kept;
	return 0;
}

/* Marks of frames that no path has any more. */
static int drop_frame_marks(struct cct *cct, const struct sample_rows *rows)
{
	_cleanup_free_ uint8_t *below = calloc(cct->n_nodes, sizeof(*below));

	if (!below)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n_rows; i++)
		below[rows->rows[i].node] |= rows->rows[i].marks;
	for (uint32_t node = cct->n_nodes; node-- > 1;) {
		cct->nodes[node].frame_marks &= below[node];
		below[cct->nodes[node].parent] |= below[node];
	}
	return 0;
}

static int drop_unused_nodes(struct profile *profile)
{
	_cleanup_free_ uint32_t *map = calloc(profile->cct->n_nodes, sizeof(*map));
	struct cct *into = cct_create_like(profile->cct);
	int err = map && into ? cct_merge_used(into, profile->cct, map) : -ENOMEM;

	if (err) {
		cct_destroy(into);
		return err;
	}
	cct_destroy(profile->cct);
	profile->cct = into;
	for (uint32_t i = 0; i < profile->rows->n_rows; i++)
		profile->rows->rows[i].node = map[profile->rows->rows[i].node];
	return 0;
}

int profile_keep_rows(struct profile *profile, const bool *is_kept)
{
	/* Rows do not have the calls that were seen with them. */
	cct_drop_activations(profile->cct);
	int err = count_kept(profile, is_kept);
	if (!err)
		err = drop_frame_marks(profile->cct, profile->rows);
	if (!err)
		err = drop_unused_nodes(profile);
	if (!err && profile->rows->n_runs)
		return scale_runs(profile);
	if (!err)
		profile_scale(profile);
	return err;
}

static void take_times_of_run(struct profile *profile, const struct sample_run *run)
{
	profile->info.start_ns = run->start_ns;
	profile->info.end_ns = run->end_ns;
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		struct metric *metric = &profile->metrics[i];

		metric->samples = metric->total = 0;
		metric->is_scaled = false;
		metric->time_enabled_ns = run->times[i].enabled_ns;
		metric->time_running_ns = run->times[i].running_ns;
	}
}

int profile_count_run(struct profile *profile, uint32_t run)
{
	const struct sample_rows *rows = profile->rows;

	if (cct_keep_squares(profile->cct))
		return -ENOMEM;
	sample_rows_uncount(profile->cct, &profile->quality);
	take_times_of_run(profile, &rows->runs[run]);
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const struct sample_row *row = &rows->rows[i];

		if (row->run != run)
			continue;
		sample_rows_count(rows, i, profile->cct, &profile->quality);
		profile->metrics[row->metric].samples += sample_rows_samples_of(rows, i);
		profile->metrics[row->metric].total += row->weight;
	}
	profile_scale(profile);
	return 0;
}
