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

/* The view keeps the fold for walks if it has rows by walk, else it is freed. */
void view_tree_take_fold(struct view *view, struct fold *fold);

/*
 * A walk over the rows of a view, depth first, each row before those below it, without recursion.
 * It begins at view->root with depth 0. Of a view with rows by walk, only the rows above the
 * walk's row, and those after them, are there; so one walk at a time.
 */
struct row_walk {
	const struct view *view;
	struct view_row *row; /* NULL: all were visited */
	unsigned depth;       /* of @row */
	unsigned max_depth;   /* rows further down are not visited; 0: all are */
};

/* 0 or -ENOMEM. */
int row_walk_next(struct row_walk *walk);

#endif
