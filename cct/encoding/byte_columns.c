#include "cct/encoding/byte_columns.h"

#define WIDTH_MAX 4

void column_write(struct byte_buffer *body, const struct byte_buffer *column)
{
	body->lacks_memory |= column->lacks_memory;
	byte_buffer_add_unsigned(body, column->size);
	byte_buffer_end_piece(body);
	byte_buffer_add(body, column->bytes, column->size);
	byte_buffer_end_piece(body);
}

struct dwarf_reader column_read(struct dwarf_reader *body)
{
	const uint64_t size = dwarf_read_uleb(body);
	struct dwarf_reader column = *body;

	if (!dwarf_skip(body, size))
		return *body;
	column.end = body->at;
	return column;
}

void byte_columns_write(struct byte_buffer *body, const uint32_t *numbers, uint32_t n)
{
	uint32_t all = n != 0;
	unsigned width = 0;

	for (uint32_t i = 0; i < n; i++)
		all |= numbers[i];
	for (; all; all >>= 8)
		width++;
	byte_buffer_add_unsigned(body, n);
	byte_buffer_add_unsigned(body, width);
	for (unsigned byte = 0; byte < width; byte++) {
		byte_buffer_end_piece(body);
		for (uint32_t i = 0; i < n; i++) {
			const uint8_t part = (uint8_t)(numbers[i] >> 8 * byte);

			byte_buffer_add(body, &part, 1);
		}
	}
	byte_buffer_end_piece(body);
}

struct byte_columns byte_columns_read(struct dwarf_reader *body)
{
	const uint64_t n = dwarf_read_uleb(body), width = dwarf_read_uleb(body);

	if (n > UINT32_MAX || width > WIDTH_MAX || (n && !width))
		dwarf_break(body);
	const uint8_t *bytes = dwarf_read_block(body, body->is_broken ? 0 : n * width);
	if (body->is_broken)
		return (struct byte_columns){ .n = 0 };
	return (struct byte_columns){ .bytes = bytes, .n = n, .width = (unsigned)width };
}
