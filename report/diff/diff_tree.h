/*
 * The rows of a comparison as a tree in which what moved most comes first. A table is a tree, too:
 * all its rows are at the top.
 */
#ifndef REPORT_DIFF_DIFF_TREE_H
#define REPORT_DIFF_DIFF_TREE_H

#include "report/diff/diff_rows.h"

/* All by row. */
struct diff_tree {
	double *moved; /* how far the row moved, or the row below it that moved farthest */
	uint32_t *depth;
	uint32_t *first; /* the row below that comes first; DIFF_NO_ROW: none */
	uint32_t *next;  /* the one after it, below the same row; DIFF_NO_ROW */
	uint32_t top;    /* the first at the top; DIFF_NO_ROW: there are no rows */
};

/*
 * @moved: how far each row moved by itself; taken over, also by an error. @values: of rows that
 * moved equally far, the one with the larger value comes first. The caller calls
 * diff_tree_deinit(). 0 or -ENOMEM.
 */
int diff_tree_init(struct diff_tree *tree, const struct diff_rows *rows, double *moved,
		   const double *values);
void diff_tree_deinit(struct diff_tree *tree);
/* The row after @row, each before those below it; the first one after DIFF_NO_ROW. DIFF_NO_ROW: the
 * end. */
uint32_t diff_tree_next(const struct diff_tree *tree, const struct diff_rows *rows, uint32_t row);
/* Marks the rows above marked ones, too. */
void diff_tree_mark_above(const struct diff_rows *rows, bool *marks);

#endif
