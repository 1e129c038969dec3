/* A position in a record's body: reads 64-bit words and bytes, never beyond the end. */
#ifndef PERF_RECORDS_RECORD_CURSOR_H
#define PERF_RECORDS_RECORD_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct record_cursor {
	const uint8_t *at; /* 8-byte aligned, except after user stacks of an odd size */
	const uint8_t *end;
};

static inline size_t cursor_left(const struct record_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline bool cursor_is_aligned(const struct record_cursor *cursor)
{
	return (uintptr_t)cursor->at % sizeof(uint64_t) == 0;
}

/* @n words; NULL: the record is too short, or the words are not aligned. */
static inline const uint64_t *cursor_words(struct record_cursor *cursor, uint64_t n)
{
	if (n > cursor_left(cursor) / sizeof(uint64_t) || !cursor_is_aligned(cursor))
		return NULL;
	const uint64_t *words = (const uint64_t *)(const void *)cursor->at;
	cursor->at += n * sizeof(uint64_t);
	return words;
}

static inline bool cursor_word(struct record_cursor *cursor, uint64_t *ret)
{
	if (cursor_left(cursor) < sizeof(*ret))
		return false;
	memcpy(ret, cursor->at, sizeof(*ret));
	cursor->at += sizeof(*ret);
	return true;
}

static inline const uint8_t *cursor_bytes(struct record_cursor *cursor, uint64_t n)
{
	if (n > cursor_left(cursor))
		return NULL;
	const uint8_t *bytes = cursor->at;
	cursor->at += n;
	return bytes;
}

/* Copies @n bytes to @to. */
static inline bool cursor_copy(struct record_cursor *cursor, void *to, size_t n)
{
	const uint8_t *bytes = cursor_bytes(cursor, n);

	if (bytes)
		memcpy(to, bytes, n);
	return bytes;
}

/* A string that ends with NUL before the cursor's end; takes all that is left. */
static inline const char *cursor_string(struct record_cursor *cursor)
{
	const char *string = (const char *)cursor->at;

	if (!memchr(string, '\0', cursor_left(cursor)))
		return NULL;
	cursor->at = cursor->end;
	return string;
}

/* A word that holds two 32-bit fields, in memory order. */
static inline uint32_t word_first(uint64_t word)
{
	uint32_t halves[2];

	memcpy(halves, &word, sizeof(halves));
	return halves[0];
}

static inline uint32_t word_second(uint64_t word)
{
	uint32_t halves[2];

	memcpy(halves, &word, sizeof(halves));
	return halves[1];
}

#endif
