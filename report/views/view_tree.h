/* Builds the top-down tree of a view from a fold. */
#ifndef REPORT_VIEWS_VIEW_TREE_H
#define REPORT_VIEWS_VIEW_TREE_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

/* Fills view->root, which has the costs of the whole profile. 0 or -ENOMEM. */
int view_fill_tree(struct view *view, const struct fold *fold);
/* Adds the row of a node below @parent, without children. NULL: out of memory. */
struct view_row *view_tree_add_row(struct view *view, struct view_row *parent,
				   const struct fold *fold, uint32_t node);

#endif
