/*
 * An icicle drawn in cells: each level of a tree is a line, in which a row is as wide as its share,
 * below the row that called it. Rows that are too narrow for a cell are one box together.
 */
#ifndef REPORT_BROWSE_ICICLE_H
#define REPORT_BROWSE_ICICLE_H

#include "report/browse/growing_view.h"

struct icicle_box {
	struct view_row *row;  /* NULL: several narrow rows */
	uint32_t n_rows;       /* 1, or how many narrow ones */
	uint32_t depth;        /* 0: below the root */
	uint32_t start, width; /* in cells */
	double cost;           /* of what is on the left */
};

struct icicle {
	struct icicle_box *boxes; /* by depth, and from left to right; owned */
	uint32_t n_boxes, n_allocated;
	uint32_t width;
};

/*
 * Lays out the rows of the first @n_levels levels, in the order of the view, and adds to the view
 * what is to be seen. Replaces what was there. 0 or -ENOMEM.
 */
int icicle_lay_out(struct icicle *icicle, struct growing_view *growing, uint32_t width,
		   uint32_t n_levels);
void icicle_deinit(struct icicle *icicle);
/* The box at a cell. NULL: there is none. */
const struct icicle_box *icicle_at(const struct icicle *icicle, uint32_t depth, uint32_t cell);

#endif
