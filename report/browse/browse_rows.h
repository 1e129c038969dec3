/*
 * The rows of a view that are shown, as a list: those whose rows above are all unfolded, in the
 * view's order. One of them is under the cursor. Knows no terminal.
 *
 * A row is indented below the row above it only if that has several children, so that a deep path
 * without branches stays in its column; the rows of the root and those below them are indented
 * anyway.
 */
#ifndef REPORT_BROWSE_BROWSE_ROWS_H
#define REPORT_BROWSE_BROWSE_ROWS_H

#include "report/browse/growing_view.h"

/* Rows that one request unfolds at most: it must not take longer than a blink. */
#define BROWSE_UNFOLD_MAX 20000

struct browse_line {
	struct view_row *row;
	uint32_t depth;  /* 0: below the root */
	uint32_t indent; /* in steps */
};

struct browse_rows {
	struct growing_view *growing; /* owned */
	struct browse_line *lines;
	uint32_t n_lines, n_allocated;
	uint32_t cursor; /* of the lines; 0 without lines */
};

/* Takes over @growing, even if it fails. 0 or -ENOMEM. */
int browse_rows_init(struct browse_rows *rows, struct growing_view *growing);
void browse_rows_deinit(struct browse_rows *rows);

/* The row under the cursor; NULL: there are no rows. */
struct view_row *browse_rows_current(const struct browse_rows *rows);
void browse_rows_move(struct browse_rows *rows, int64_t by);

/* All below are about the row under the cursor. 0 or -ENOMEM. */

/* Shows its children. One that shows them already: the cursor moves to the first. */
int browse_rows_unfold(struct browse_rows *rows);
/* Hides what is below it. One that hides it already: the cursor moves to the row above. */
void browse_rows_fold(struct browse_rows *rows);
int browse_rows_toggle(struct browse_rows *rows);
/*
 * Unfolds it, and the rows below it that have at least @min_percent of the whole's cost, up to
 * BROWSE_UNFOLD_MAX rows. *@is_complete_ret: no more was left.
 */
int browse_rows_unfold_all(struct browse_rows *rows, double min_percent, bool *is_complete_ret);
/* Folds it and all below it, so that unfolding it shows one level. */
void browse_rows_fold_all(struct browse_rows *rows);
/*
 * Moves along the hot path: to the child with the highest cost, again and again, while it has at
 * least half of the cost of the row above it; by one row at least, if there is one.
 */
int browse_rows_follow(struct browse_rows *rows);

/* The child of a row with the highest cost, of those that are there. NULL: none. */
struct view_row *browse_rows_hottest(const struct browse_rows *rows, const struct view_row *row);

/* Changes the order of siblings. The cursor stays on its row. 0 or -ENOMEM. */
int browse_rows_sort(struct browse_rows *rows, enum view_sort sort, uint32_t metric);
/* After rows were folded or unfolded by their member is_unfolded. */
int browse_rows_refresh(struct browse_rows *rows);
/* Unfolds what is above the row, and moves the cursor to it. 0 or -ENOMEM. */
int browse_rows_reveal(struct browse_rows *rows, struct view_row *row);

#endif
