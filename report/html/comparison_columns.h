/*
 * The data of the page of a comparison: numbers in LEB128 and columns (report/html/page_column.h),
 * one after the other, which report/html/diff/comparison.js reads.
 *
 * - strings (report/html/page_string.h).
 * - functions: their number; columns: name and module (strings), kind (enum row_kind).
 * - two tables, of call paths and of functions, each with its number of rows, and columns by row,
 * in the order of the comparison: levels up from the row before (of the first one from above all
 *   rows) and 1; function; status (0: on both sides, 1: new, 2: gone); then for each metric self
 * and total cost: the weight before, the weight after, the bits of the difference's error and of q
 * as binary32 numbers (NaN: not tested), and whether it is significant.
 *
 * A value is a weight over the side's divisor, which the page's facts have.
 */
#ifndef REPORT_HTML_COMPARISON_COLUMNS_H
#define REPORT_HTML_COMPARISON_COLUMNS_H

#include "cct/encoding/byte_buffer.h"
#include "report/diff/diff.h"

/* Appends comparisons of the same runs, by call paths and by functions, to @out. 0 or -ENOMEM. */
int comparison_columns_write(const struct diff *paths, const struct diff *functions,
			     struct byte_buffer *out);

#endif
