/* How views make their rows: an arena that holds them, and the order of siblings. */
#ifndef REPORT_VIEWS_VIEW_ROWS_H
#define REPORT_VIEWS_VIEW_ROWS_H

#include "report/views/fold.h"
#include "report/views/view.h"

/* A new row for @entity, its costs zero, first among @parent's children. NULL: no memory. */
struct view_row *view_add_row(struct view *view, struct view_row *parent,
			      const struct fold_entity *entity);
/* Adds all metrics of a fold's node, inclusive or exclusive as @from points. */
static inline void view_add_cost(uint64_t *to, const uint64_t *from, uint32_t n_metrics)
{
	for (uint32_t i = 0; i < n_metrics; i++)
		to[i] += from[i];
}
/* Sorts the children of @row as the options ask. */
void view_sort_children(const struct view *view, struct view_row *row);

/* One per kind of view: fills view->root, which has the whole profile's costs. 0 or -ENOMEM. */
int view_fill_tree(struct view *view, const struct fold *fold);
int view_fill_callers(struct view *view, const struct fold *fold);
int view_fill_flat(struct view *view, const struct fold *fold);

#endif
