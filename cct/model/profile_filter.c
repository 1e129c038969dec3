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
		if (is_kept[i % cct->n_metrics])
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

static void keep_rows_of_metrics(struct sample_rows *rows, const bool *is_kept)
{
	uint32_t n_kept = 0, metric = 0, n_before = 0; /* metrics that are kept, before @metric */

	for (uint32_t i = 0; i < rows->n_rows; i++) {
		for (; metric < rows->rows[i].metric; metric++)
			n_before += is_kept[metric];
		if (!is_kept[metric])
			continue;
		rows->rows[n_kept] = rows->rows[i];
		rows->rows[n_kept++].metric = (uint16_t)n_before;
	}
	rows->n_rows = n_kept;
}

int profile_keep_metrics(struct profile *profile, const char *const *patterns, size_t n_patterns)
{
	uint32_t n_all = profile->n_metrics, n_kept = 0;
	_cleanup_free_ bool *is_kept = calloc(n_all + 1, sizeof(*is_kept));

	if (!is_kept)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_all; i++)
		n_kept += is_kept[i] =
			name_patterns_match(patterns, n_patterns, profile->metrics[i].name);
	if (!n_kept || n_kept == n_all)
		return 0;
	keep_longest(profile->cct, is_kept);
	keep_costs(profile->cct, is_kept, n_kept);
	if (profile->rows)
		keep_rows_of_metrics(profile->rows, is_kept);
	profile->n_metrics = 0;
	for (uint32_t i = 0; i < n_all; i++) {
		if (is_kept[i])
			profile->metrics[profile->n_metrics++] = profile->metrics[i];
		else
			metric_deinit(&profile->metrics[i]);
	}
	return 0;
}

static struct cct *empty_like(const struct cct *cct)
{
	struct cct *made = cct_create(cct->n_metrics);

	if (made && cct->longest && cct_keep_longest(made, cct->longest_metric)) {
		cct_destroy(made);
		return NULL;
	}
	return made;
}

int profile_join_threads(struct profile *profile)
{
	const struct cct *from = profile->cct;
	struct cct *into = empty_like(from);
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

/* Leaves the rows out, and counts the others again. */
static void count_kept(struct profile *profile, const bool *is_kept)
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

		if (!is_kept[i])
			continue;
		sample_row_count(row, profile->cct, &profile->quality);
		profile->metrics[row->metric].samples++;
		profile->metrics[row->metric].total += row->weight;
		rows->rows[n_kept++] = *row;
	}
	profile->quality.counts[QUALITY_FILTERED] += rows->n_rows - n_kept;
	rows->n_rows = n_kept;
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
	struct cct *into = empty_like(profile->cct);
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
	count_kept(profile, is_kept);
	int err = drop_frame_marks(profile->cct, profile->rows);
	if (!err)
		err = drop_unused_nodes(profile);
	if (!err)
		profile_scale(profile);
	return err;
}
