/*
 * The data of the page of a comparison: numbers in LEB128 and columns (report/html/page_column.h),
 * one after the other, which report/html/diff/comparison.js reads.
 *
 * - strings (report/html/page_string.h).
 * - functions: their number; columns: name and module (strings), kind (enum row_kind).
 * - call paths: their number; columns, in the order of the comparison: levels up from the path
 * before (of the first one from above all paths) and 1; function; then for each metric and run,
 *   of the path's own cost: weight, samples, and how much larger the squares of the weights are
 *   than those of equal weights would be, in units of 2^-COMPARISON_UNEVEN_BITS.
 *
 * These costs are what all other trees of the page add up, and what it tests: so the page has the
 * numbers of dendro diff for what is selected there, too.
 */
#ifndef REPORT_HTML_COMPARISON_COLUMNS_H
#define REPORT_HTML_COMPARISON_COLUMNS_H

#include "cct/encoding/byte_buffer.h"
#include "report/diff/diff.h"

/* What runs have beside a row with nearly all of their cost is a difference of such squares. */
#define COMPARISON_UNEVEN_BITS 40

/*
 * How much larger the sum of the squares is than that of equal weights would be: 0, or more, in
 * units of 2^-COMPARISON_UNEVEN_BITS. Weights that hardly differ compress well so.
 */
uint64_t comparison_unevenness(const struct diff_cost *cost);

/*
 * Appends a comparison of call paths (VIEW_TREE) to @out. @parts: for a first picture, only paths
 * that have more than one of so many parts of a run, or that lead to one; the cost of those left
 * out is that of the path above them, with equal weights. 0: all paths. 0 or -ENOMEM.
 */
int comparison_columns_write(const struct diff *paths, uint64_t parts, struct byte_buffer *out);

#endif
