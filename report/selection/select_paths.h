/*
 * Applies a selection to a profile that has names: in one pass over the tree, parents first, each
 * node inherits which conditions the path above it has met. No sample is looked at twice, and none
 * gets lost: the cost of samples that are not selected becomes the exclusive cost of the tree's
 * root, so totals and shares remain those of the whole, and views show no row for it.
 */
#ifndef REPORT_SELECTION_SELECT_PATHS_H
#define REPORT_SELECTION_SELECT_PATHS_H

#include "report/names/symbolize.h"
#include "report/selection/path_selection.h"

/* A pattern that no function on any path matches. */
struct unmatched_pattern {
	enum condition_kind kind;
	const char *text; /* the selection's */
	char *question;   /* "; did you mean f?", or ""; owned */
};

/* What applying a selection found. */
struct selected_paths {
	const struct path_selection *selection;
	struct cct_cost *costs; /* by metric: of the samples selected */
	uint32_t n_hidden;      /* functions that --hide leaves out */
	struct unmatched_pattern *unmatched;
	size_t n_unmatched;
};

/*
 * Replaces the profile's tree by that of the selection, whose nodes its rows have then, and has the
 * symbolizer leave out hidden functions. Rows that are not selected are at the root, too. The
 * selection must live as long as the result. 0 or -ENOMEM, the profile then as before.
 */
int select_paths(struct profile *profile, struct symbolizer *symbolizer,
		 const struct path_selection *selection, struct selected_paths *selected_ret);
/*
 * Likewise, but the profile keeps its tree and its rows: *@tree_ret is the tree of the selection,
 * the caller's to destroy.
 */
int select_paths_aside(const struct profile *profile, struct symbolizer *symbolizer,
		       const struct path_selection *selection, struct cct **tree_ret,
		       struct selected_paths *selected_ret);
void selected_paths_deinit(struct selected_paths *selected);
/* The share of a metric's @total that is selected. */
static inline double selected_paths_percent(const struct selected_paths *selected, uint32_t metric,
					    uint64_t total)
{
	return total ? 100.0 * (double)selected->costs[metric].weight / (double)total : 0;
}
/* Whether no sample of any metric is selected. */
bool selected_paths_are_none(const struct selected_paths *selected, uint32_t n_metrics);

#endif
