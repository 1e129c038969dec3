/* Values of ClickHouse's format RowBinary, in which a row is its columns' values, one by one. */
#ifndef COLLECTOR_PUSH_CLICKHOUSE_ROW_BINARY_H
#define COLLECTOR_PUSH_CLICKHOUSE_ROW_BINARY_H

#include <string.h>

#include "cct/encoding/byte_buffer.h"

static inline void row_add_8(struct byte_buffer *row, uint8_t number)
{
	byte_buffer_add(row, &number, sizeof(number));
}

/* @size: bytes of the number that are written, the lowest first. */
static inline void row_add_number(struct byte_buffer *row, uint64_t number, unsigned size)
{
	uint8_t bytes[sizeof(number)];

	for (unsigned i = 0; i < size; i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	byte_buffer_add(row, bytes, size);
}

static inline void row_add_16(struct byte_buffer *row, uint16_t number)
{
	row_add_number(row, number, sizeof(number));
}

static inline void row_add_32(struct byte_buffer *row, uint32_t number)
{
	row_add_number(row, number, sizeof(number));
}

static inline void row_add_64(struct byte_buffer *row, uint64_t number)
{
	row_add_number(row, number, sizeof(number));
}

static inline void row_add_double(struct byte_buffer *row, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	row_add_64(row, bits);
}

/* NULL is written as an empty text. */
static inline void row_add_text(struct byte_buffer *row, const char *text)
{
	const size_t size = text ? strlen(text) : 0;

	byte_buffer_add_unsigned(row, size);
	byte_buffer_add(row, text ? text : "", size);
}

/* Before the elements of an array or a map. */
static inline void row_add_count(struct byte_buffer *row, uint64_t n)
{
	byte_buffer_add_unsigned(row, n);
}

#endif
