/*
 * A column of numbers in the page's data: the number of bytes that the largest needs, then the
 * lowest bytes of all, then the next ones, and so on. So bytes that are alike are next to each
 * other, which compresses better than the numbers one by one, and is read faster.
 */
#ifndef REPORT_HTML_PAGE_COLUMN_H
#define REPORT_HTML_PAGE_COLUMN_H

#include "cct/encoding/byte_buffer.h"

/* All zero is empty. Once memory was lacking, numbers are left out. */
struct page_column {
	uint64_t *numbers;
	size_t n, n_allocated;
	bool lacks_memory;
};

void page_column_add(struct page_column *column, uint64_t number);
/* Appends the numbers to @out, which lacks memory then if the column did, and empties the column.
 */
void page_column_write(struct page_column *column, struct byte_buffer *out);
void page_column_deinit(struct page_column *column);

/* Sums of squared weights: a column of their lower halves, and one of the upper ones. */
struct page_squares {
	struct page_column low, high;
};

void page_squares_add(struct page_squares *squares, unsigned __int128 number);
void page_squares_write(struct page_squares *squares, struct byte_buffer *out);
void page_squares_deinit(struct page_squares *squares);

#endif
