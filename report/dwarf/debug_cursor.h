/* Reads numbers from bytes that may lie: after the first that are not there all are 0. */
#ifndef REPORT_DWARF_DEBUG_CURSOR_H
#define REPORT_DWARF_DEBUG_CURSOR_H

#include <stdbool.h>
#include <string.h>

#include "report/dwarf/debug_sections.h"

struct debug_cursor {
	const struct debug_sections *sections;
	const uint8_t *at, *end;
	bool is_bad;
};

static inline struct debug_cursor debug_cursor_at(const struct debug_sections *sections,
						  enum debug_section which, uint64_t offset)
{
	const struct debug_bytes *bytes = &sections->of[which];
	struct debug_cursor cursor = { sections, bytes->bytes, bytes->bytes, true };

	if (bytes->bytes && offset <= bytes->size) {
		cursor.at += offset;
		cursor.end += bytes->size;
		cursor.is_bad = false;
	}
	return cursor;
}

static inline size_t debug_cursor_left(const struct debug_cursor *cursor)
{
	return cursor->is_bad ? 0 : (size_t)(cursor->end - cursor->at);
}

static inline bool debug_cursor_skip(struct debug_cursor *cursor, uint64_t size)
{
	if (debug_cursor_left(cursor) < size)
		cursor->is_bad = true;
	else
		cursor->at += size;
	return !cursor->is_bad;
}

/* Unsigned, of 1 to 8 bytes. */
static inline uint64_t debug_cursor_number(struct debug_cursor *cursor, size_t size)
{
	return debug_cursor_skip(cursor, size)
		       ? debug_sections_number(cursor->sections, cursor->at - size, size)
		       : 0;
}

static inline uint8_t debug_cursor_byte(struct debug_cursor *cursor)
{
	return debug_cursor_skip(cursor, 1) ? cursor->at[-1] : 0;
}

static inline uint64_t debug_cursor_leb128(struct debug_cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = debug_cursor_byte(cursor);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	cursor->is_bad = true;
	return 0;
}

static inline int64_t debug_cursor_signed_leb128(struct debug_cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = debug_cursor_byte(cursor);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift + 7 < 64)
			value |= UINT64_MAX << (shift + 7);
		return (int64_t)value;
	}
	cursor->is_bad = true;
	return 0;
}

/* Longer ones are no names; and looking for an end again and again must not take long. */
#define DEBUG_CURSOR_MAX_STRING 65536

/* A string that ends before the bytes do, or NULL. */
static inline const char *debug_cursor_string(struct debug_cursor *cursor)
{
	size_t left = debug_cursor_left(cursor);
	size_t max = left < DEBUG_CURSOR_MAX_STRING ? left : DEBUG_CURSOR_MAX_STRING;
	const uint8_t *text = cursor->at, *end = max ? memchr(text, 0, max) : NULL;

	if (!end) {
		cursor->is_bad = true;
		return NULL;
	}
	cursor->at = end + 1;
	return (const char *)text;
}

#endif
