/* Reads DWARF's basic encodings from bytes of a file: nothing is read beyond the end. */
#ifndef UNWIND_CFI_DWARF_READER_H
#define UNWIND_CFI_DWARF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwarf_reader {
	const uint8_t *at, *end;
	bool is_broken; /* something reached beyond the end: zeros were read instead */
};

static inline struct dwarf_reader dwarf_reader(const uint8_t *bytes, size_t size)
{
	return (struct dwarf_reader){ .at = bytes, .end = bytes + size };
}

static inline size_t dwarf_left(const struct dwarf_reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

/* @size bytes, or NULL. */
static inline const uint8_t *dwarf_read_block(struct dwarf_reader *reader, uint64_t size)
{
	const uint8_t *block = reader->at;

	if (size > dwarf_left(reader)) {
		reader->is_broken = true;
		reader->at = reader->end;
		return NULL;
	}
	reader->at += size;
	return block;
}

/* Little endian, of 1 to 8 bytes. */
static inline uint64_t dwarf_read_unsigned(struct dwarf_reader *reader, size_t size)
{
	const uint8_t *block = dwarf_read_block(reader, size);
	uint64_t value = 0;

	if (block)
		memcpy(&value, block, size);
	return value;
}

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
		byte = (uint8_t)dwarf_read_unsigned(reader, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		reader->is_broken |= shift > 7 * LEB128_SIZE_MAX;
	} while (byte & 0x80 && !reader->is_broken);
	*last_ret = byte;
	*shift_ret = shift;
	return value;
}

static inline uint64_t dwarf_read_uleb(struct dwarf_reader *reader)
{
	unsigned shift;
	uint8_t last;

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

/* NUL-terminated, of at most @max bytes. NULL: it is longer. */
static inline const char *dwarf_read_string(struct dwarf_reader *reader, size_t max)
{
	size_t size = strnlen((const char *)reader->at,
			      max < dwarf_left(reader) ? max : dwarf_left(reader));

	if (size == max)
		reader->is_broken = true;
	return (const char *)dwarf_read_block(reader, size + 1);
}

#endif
