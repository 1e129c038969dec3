#include "report/html/page_column.h"

#include <stdlib.h>

#include "cct/base/array.h"

void page_column_add(struct page_column *column, uint64_t number)
{
	if (array_reserve(column->numbers, column->n, column->n_allocated, 1))
		column->lacks_memory = true;
	else
		column->numbers[column->n++] = number;
}

static unsigned count_bytes(const struct page_column *column)
{
	uint64_t all = 0;
	unsigned n = 0;

	for (size_t i = 0; i < column->n; i++)
		all |= column->numbers[i];
	for (; all; all >>= 8)
		n++;
	return n;
}

void page_column_write(struct page_column *column, struct byte_buffer *out)
{
	const unsigned n_bytes = count_bytes(column);

	byte_buffer_add_unsigned(out, n_bytes);
	for (unsigned plane = 0; plane < n_bytes; plane++) {
		for (size_t i = 0; i < column->n; i++) {
			uint8_t byte = (uint8_t)(column->numbers[i] >> 8 * plane);

			byte_buffer_add(out, &byte, 1);
		}
	}
	out->lacks_memory |= column->lacks_memory;
	column->n = 0;
}

void page_column_deinit(struct page_column *column)
{
	free(column->numbers);
}

void page_squares_add(struct page_squares *squares, unsigned __int128 number)
{
	page_column_add(&squares->low, (uint64_t)number);
	page_column_add(&squares->high, (uint64_t)(number >> 64));
}

void page_squares_write(struct page_squares *squares, struct byte_buffer *out)
{
	page_column_write(&squares->low, out);
	page_column_write(&squares->high, out);
}

void page_squares_deinit(struct page_squares *squares)
{
	page_column_deinit(&squares->low);
	page_column_deinit(&squares->high);
}
