/*
 * The bottom-up tree: below the root each function with its self cost, below it its callers, each
 * with its share of that cost, and so on up to the outermost function.
 *
 * Rows are built from the root of the view downwards. Each has a list of entries (node with the
 * self cost, ancestor reached so far), which is split by the callers of the ancestors.
 */
#ifndef REPORT_VIEWS_VIEW_CALLERS_H
#define REPORT_VIEWS_VIEW_CALLERS_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

struct caller_entry {
	uint32_t origin; /* the node with the self cost */
	uint32_t reached;
};

/* Of an entity, while a row is split: its entries, and then the place of the next one. */
struct caller_sum {
	uint32_t n_sources, first; /* n_sources: 0: it has none */
	uint64_t longest;
};

/* What rows are split by. Borrows the view and the fold. */
struct caller_rows {
	struct view *view;
	const struct fold *fold;
	struct caller_entry *entries, *scratch; /* as many as nodes */
	struct caller_sum *sums;                /* by entity */
	uint64_t *costs; /* by entity, of those with entries: costs by metric, then samples */
	uint32_t *found; /* the entities with entries */
	uint32_t n_found;
};

/* Gives all entries to view->root. 0 or -ENOMEM. */
int caller_rows_init(struct caller_rows *rows, struct view *view, const struct fold *fold);
void caller_rows_deinit(struct caller_rows *rows);
/* Adds the children of a row, sorted; once. 0 or -ENOMEM. */
int caller_rows_split(struct caller_rows *rows, struct view_row *row);
/*
 * Whether a row that was not split gets a child. With @is_wanted, by node of the fold: whether one
 * of its entries has a caller that is wanted.
 */
bool caller_rows_have_callers(const struct caller_rows *rows, const struct view_row *row,
			      const bool *is_wanted);

/* Fills view->root, which has the costs of the whole profile. 0 or -ENOMEM. */
int view_fill_callers(struct view *view, const struct fold *fold);

#endif
