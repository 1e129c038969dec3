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
	struct cct *into = cct_create(from->n_metrics);
	int err = into ? 0 : -ENOMEM;

	if (!err && from->longest)
		err = cct_keep_longest(into, from->longest_metric);
	if (!err)
		err = cct_merge_without(into, from, FRAME_THREAD);
	if (err) {
		cct_destroy(into);
		return err;
	}
	cct_destroy(profile->cct);
	profile->cct = into;
	return 0;
}
