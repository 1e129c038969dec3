/*
 * The data of the page: numbers in LEB128 and columns (report/html/page_column.h), one after the
 * other, which report/html/page/payload.js reads.
 *
 * - strings: their number; a column of their sizes in bytes; the bytes of all. Characters that are
 *   unsafe on a terminal are escaped.
 * - functions: their number; columns: name and module (strings), kind (enum row_kind, or
 * PAGE_REST), ID and 1 (0: none), number of processes or threads in it.
 * - nodes: their number, depth first; columns: levels up from the node before and 1 (of the root
 * 0), function; then the number of inlined calls with a known place, and columns for these: node
 *   (difference to the one before), file (string), line.
 * - costs: 1 if the data have squares of weights, else 0; the number of metrics; for each 0: all of
 *   its costs are in the rows, or 1 and columns by node: samples, weights, and their squares
 *   (struct page_squares) if there are any.
 * - rows: their number; if it is not 0: the number of slices and a slice's microseconds; tasks:
 * their number, and for each pid and 1, tid and 1, process and thread name; cgroups: their number,
 * and for each its path; columns: node (difference to the row before), and the members of struct
 *   page_row after it, the squares if there are any.
 *
 * A function is a struct fold_entity. Costs are exclusive. The root has the cost of samples that
 * are not selected.
 */
#ifndef REPORT_HTML_PAGE_COLUMNS_H
#define REPORT_HTML_PAGE_COLUMNS_H

#include "report/html/page_rows.h"

#define PAGE_REST 255 /* a kind: what is below the node, and too small for the first picture */

struct page_columns {
	const struct profile *profile;
	const struct page_tree *tree;
	const struct page_rows *rows; /* NULL: costs by node alone */
	/* Nodes with less in the tree's metric, the only one that is written then, are left out;
	 * what they have goes to nodes of kind PAGE_REST. 0: everything is written. */
	uint64_t least;
	bool squares; /* of weights are written; the fold has errors */
};

/* Appends to @out. 0 or -ENOMEM. */
int page_columns_write(const struct page_columns *columns, struct byte_buffer *out);

#endif
