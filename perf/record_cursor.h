/* A place in a record's body: takes 64-bit words and bytes, never beyond the end. */
#ifndef PERF_RECORD_CURSOR_H
#define PERF_RECORD_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct record_cursor {
	const uint8_t *at; /* 8-byte aligned wherever words are taken */
	const uint8_t *end;
};

static inline size_t cursor_left(const struct record_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

/* @n words, or NULL: they are not there, or not aligned (a raw size that no kernel writes). */
static inline const uint64_t *cursor_words(struct record_cursor *cursor, uint64_t n)
{
	if (n > cursor_left(cursor) / sizeof(uint64_t) || (uintptr_t)cursor->at % sizeof(uint64_t))
		return NULL;
	const uint64_t *words = (const uint64_t *)(const void *)cursor->at;
	cursor->at += n * sizeof(uint64_t);
	return words;
}

static inline bool cursor_word(struct record_cursor *cursor, uint64_t *ret)
{
	const uint64_t *words = cursor_words(cursor, 1);

	if (!words)
		return false;
	*ret = *words;
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
