/*
 * Columns of a part: numbers in LEB128 one after another, whose bytes and number are known before
 * they are read, so that several columns can be read side by side; and numbers of one width, split
 * into columns of their bytes, which compress better than bytes of one number after another.
 */
#ifndef CCT_ENCODING_BYTE_COLUMNS_H
#define CCT_ENCODING_BYTE_COLUMNS_H

#include "cct/encoding/byte_buffer.h"
#include "cct/object/dwarf_reader.h"

/* The size in bytes, then what is in @column. */
void column_write(struct byte_buffer *body, const struct byte_buffer *column);
/* What column_write() wrote, as a reader of its own; passes over it. */
struct dwarf_reader column_read(struct dwarf_reader *body);

/* Their number, their width, 1 to 4 or 0 if there are none, then a column for each byte, the lowest
 * first. */
void byte_columns_write(struct byte_buffer *body, const uint32_t *numbers, uint32_t n);

/* All zero has no numbers. */
struct byte_columns {
	const uint8_t *bytes; /* borrowed from the body */
	uint64_t n, at;
	unsigned width;
};

/* Passes over them. What is not there breaks the body. */
struct byte_columns byte_columns_read(struct dwarf_reader *body);
static inline bool byte_columns_are_over(const struct byte_columns *columns)
{
	return columns->at == columns->n;
}
/* The next number, while they are not over. */
static inline uint32_t byte_columns_next(struct byte_columns *columns)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < columns->width; i++)
		number |= (uint32_t)columns->bytes[i * columns->n + columns->at] << 8 * i;
	columns->at++;
	return number;
}

#endif
