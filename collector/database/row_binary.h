/*
 * Reads ClickHouse's format RowBinary: rows without any mark between them, numbers with the lowest
 * byte first, texts and arrays after their size as LEB128 (clickhouse.com/docs/interfaces/formats).
 *
 * Whoever reads it knows the columns. The bytes may be anything: after the first that cannot be
 * right, ->wrong says why, and everything reads as 0.
 */
#ifndef COLLECTOR_DATABASE_ROW_BINARY_H
#define COLLECTOR_DATABASE_ROW_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ROW_TEXT_MAX  (1u << 20) /* names of C++ functions are long */
#define ROW_ARRAY_MAX (1u << 20)

/* All zero, but for the file. */
struct row_binary {
	FILE *in;          /* borrowed */
	const char *wrong; /* static; NULL: nothing yet */
	bool lacks_memory; /* likewise */
	char *text;        /* of the last text */
	size_t n_allocated;
};

void row_binary_deinit(struct row_binary *rows);
/* Whether there is a row more. */
bool row_binary_next(struct row_binary *rows);
uint8_t row_binary_byte(struct row_binary *rows);
uint32_t row_binary_u32(struct row_binary *rows);
uint64_t row_binary_u64(struct row_binary *rows);
double row_binary_f64(struct row_binary *rows);
/* The number of elements of an array, which follow; 0 of one that is larger than @max. */
size_t row_binary_count(struct row_binary *rows, size_t max);
/* Valid until the next text; never NULL. One with a zero in it is wrong. */
const char *row_binary_text(struct row_binary *rows);
/* 0; -EINVAL: something is wrong; -ENOMEM. */
int row_binary_err(const struct row_binary *rows);

#endif
