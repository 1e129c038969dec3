#include "collector/database/row_binary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

void row_binary_deinit(struct row_binary *rows)
{
	free(rows->text);
}

int row_binary_err(const struct row_binary *rows)
{
	return rows->lacks_memory ? -ENOMEM : rows->wrong ? -EINVAL : 0;
}

static bool is_over(const struct row_binary *rows)
{
	return rows->wrong || rows->lacks_memory;
}

static void fail(struct row_binary *rows, const char *wrong)
{
	if (!rows->wrong)
		rows->wrong = wrong;
}

bool row_binary_next(struct row_binary *rows)
{
	if (is_over(rows))
		return false;
	const int c = getc_unlocked(rows->in);
	if (c == EOF)
		return false;
	ungetc(c, rows->in);
	return true;
}

/* Zeros after an end. */
static void read_bytes(struct row_binary *rows, void *bytes, size_t size)
{
	if (!is_over(rows) && fread_unlocked(bytes, 1, size, rows->in) == size)
		return;
	memset(bytes, 0, size);
	fail(rows, "it ends within a row");
}

uint8_t row_binary_byte(struct row_binary *rows)
{
	uint8_t byte;

	read_bytes(rows, &byte, 1);
	return byte;
}

static uint64_t read_number(struct row_binary *rows, size_t size)
{
	uint8_t bytes[8];
	uint64_t value = 0;

	read_bytes(rows, bytes, size);
	for (size_t i = size; i-- > 0;)
		value = value << 8 | bytes[i];
	return value;
}

uint32_t row_binary_u32(struct row_binary *rows)
{
	return (uint32_t)read_number(rows, 4);
}

uint64_t row_binary_u64(struct row_binary *rows)
{
	return read_number(rows, 8);
}

double row_binary_f64(struct row_binary *rows)
{
	const uint64_t bits = row_binary_u64(rows);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

size_t row_binary_count(struct row_binary *rows, size_t max)
{
	uint64_t value = 0;
	uint8_t byte;
	unsigned shift = 0;

	do {
		byte = row_binary_byte(rows);
		if (shift < 63)
			value |= (uint64_t)(byte & 0x7f) << shift;
		else
			fail(rows, "it has an invalid size");
		shift += 7;
	} while (byte & 0x80 && !is_over(rows));
	if (value > max)
		fail(rows, "it has a larger text or list than any profile has");
	return is_over(rows) ? 0 : (size_t)value;
}

const char *row_binary_text(struct row_binary *rows)
{
	const size_t size = row_binary_count(rows, ROW_TEXT_MAX);

	if (is_over(rows))
		return "";
	if (array_reserve(rows->text, 0, rows->n_allocated, size + 1)) {
		rows->lacks_memory = true;
		return "";
	}
	read_bytes(rows, rows->text, size);
	rows->text[size] = '\0';
	if (memchr(rows->text, 0, size) && !is_over(rows))
		fail(rows, "it has a text with a zero in it");
	return is_over(rows) ? "" : rows->text;
}
