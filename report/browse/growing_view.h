/*
 * A view whose trees grow where they are looked at: a row gets its children when they are first
 * needed. So a tree of a million nodes costs what was looked at, and its rows are those of
 * view_create(), with the same costs and in the same order. Other views than tree and callers are
 * complete from the beginning.
 */
#ifndef REPORT_BROWSE_GROWING_VIEW_H
#define REPORT_BROWSE_GROWING_VIEW_H

#include "report/fold/fold.h"
#include "report/views/view.h"
#include "report/views/view_callers.h"
#include "report/views/view_tree.h"

struct growing_view {
	struct view *view;
	const struct fold *fold;
	struct node_children children; /* VIEW_TREE */
	struct caller_rows callers;    /* VIEW_CALLERS */
	uint64_t n_grown;              /* rows that were added */
};

/*
 * Of a fold that fold_profile() made with these options, and which is borrowed. The root has its
 * children. The caller frees *@growing_ret with growing_view_destroy(). 0 or -errno, as
 * view_create().
 */
int growing_view_create(const struct profile *profile, const struct view_options *options,
			struct fold *fold, struct growing_view **growing_ret);
void growing_view_destroy(struct growing_view *growing);
/* Gives the row its children, sorted as the view's options say now. 0 or -ENOMEM. */
int growing_view_grow(struct growing_view *growing, struct view_row *row);
/* Whether the row has children, or will have. */
bool growing_view_has_children(const struct growing_view *growing, const struct view_row *row);

#endif
