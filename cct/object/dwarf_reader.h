/*
 * Reads the numbers and strings of a file's tables (DWARF, CFI, Go's) from bytes that may lie:
 * nothing is read beyond the end, and after the first thing that is not there nothing more is.
 */
#ifndef CCT_OBJECT_DWARF_READER_H
#define CCT_OBJECT_DWARF_READER_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwarf_reader {
	const uint8_t *at, *end;
	bool is_broken; /* something reached beyond the end: all that is read now is 0 */
	bool is_big_endian;
};

/* Of little-endian bytes. */
static inline struct dwarf_reader dwarf_reader(const uint8_t *bytes, size_t size)
{
	return (struct dwarf_reader){ .at = bytes, .end = bytes + size };
}

static inline size_t dwarf_left(const struct dwarf_reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

static inline void dwarf_break(struct dwarf_reader *reader)
{
	reader->is_broken = true;
	reader->at = reader->end;
}

/* @size bytes, or NULL. */
static inline const uint8_t *dwarf_read_block(struct dwarf_reader *reader, uint64_t size)
{
	const uint8_t *block = reader->at;

	if (size > dwarf_left(reader)) {
		dwarf_break(reader);
		return NULL;
	}
	reader->at += size;
	return block;
}

/* false: there are not as many bytes. */
static inline bool dwarf_skip(struct dwarf_reader *reader, uint64_t size)
{
	dwarf_read_block(reader, size);
	return !reader->is_broken;
}

static inline uint8_t dwarf_read_byte(struct dwarf_reader *reader)
{
	if (reader->at == reader->end) {
		dwarf_break(reader);
		return 0;
	}
	return *reader->at++;
}

/* Of 0 to 8 bytes. */
static inline uint64_t dwarf_read_unsigned(struct dwarf_reader *reader, size_t size)
{
	const uint8_t *block = dwarf_read_block(reader, size);
	uint64_t value = 0;

	if (reader->is_broken || !size)
		return 0;
	memcpy(&value, block, size);
	return reader->is_big_endian ? be64toh(value) >> (64 - 8 * size) : le64toh(value);
}

/* Of 1 to 8 bytes. */
static inline int64_t dwarf_read_signed(struct dwarf_reader *reader, size_t size)
{
	unsigned shift = 64 - 8 * (unsigned)size;

	return (int64_t)(dwarf_read_unsigned(reader, size) << shift) >> shift;
}

/* Padding is allowed, but not without end. */
#define LEB128_SIZE_MAX 16

/* The last byte is left in @last_ret, the bits read in @shift_ret; those beyond the 64th are
 * dropped. */
static inline uint64_t dwarf_read_leb(struct dwarf_reader *reader, uint8_t *last_ret,
				      unsigned *shift_ret)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = dwarf_read_byte(reader);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (shift > 7 * LEB128_SIZE_MAX)
			dwarf_break(reader);
	} while (byte & 0x80 && !reader->is_broken);
	*last_ret = byte;
	*shift_ret = shift;
	return value;
}

static inline uint64_t dwarf_read_uleb(struct dwarf_reader *reader)
{
	unsigned shift;
	uint8_t last;

	/* Nearly all are of one byte. */
	if (reader->at != reader->end && *reader->at < 0x80)
		return *reader->at++;
	return dwarf_read_leb(reader, &last, &shift);
}

static inline int64_t dwarf_read_sleb(struct dwarf_reader *reader)
{
	unsigned shift;
	uint8_t last;
	uint64_t value = dwarf_read_leb(reader, &last, &shift);

	if (shift < 64 && last & 0x40)
		value |= -(1ull << shift);
	return (int64_t)value;
}

/* NUL-terminated, of less than @max bytes. NULL: it is longer, or has no end. */
static inline const char *dwarf_read_string(struct dwarf_reader *reader, size_t max)
{
	size_t left = dwarf_left(reader), room = max < left ? max : left;
	const uint8_t *text = reader->at, *end = room ? memchr(text, 0, room) : NULL;

	if (!end) {
		dwarf_break(reader);
		return NULL;
	}
	reader->at = end + 1;
	return (const char *)text;
}

#endif
