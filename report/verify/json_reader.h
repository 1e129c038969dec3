/*
 * Reads JSON (RFC 8259) of which nothing is known to be right, from its bytes and in one pass:
 * files of samples have tens of millions of numbers, of which a tree, as libraries make one, would
 * take many times their size. Each call reads one thing. One that fails notes the problem with the
 * byte where it is, and returns false; all calls after it do, too.
 *
 *	struct json_items items;
 *
 *	json_start(&reader, &items, JSON_OBJECT);
 *	while (json_next(&reader, &items)) {
 *		if (strcmp(items.key, "name") == 0)
 *			json_read_text(&reader, &text);
 *		else
 *			json_skip(&reader);
 *	}
 *	return json_is_sound(&reader);
 */
#ifndef REPORT_VERIFY_JSON_READER_H
#define REPORT_VERIFY_JSON_READER_H

#include "report/verify/verification.h"

#define JSON_DEPTH_MAX 64 /* of what is skipped */
#define JSON_KEY_MAX   32

enum json_kind { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_NULL, JSON_OTHER };

struct json_reader {
	struct verification *verification; /* borrowed */
	const uint8_t *bytes;              /* borrowed */
	size_t size, at;
};

/* The members of an object, or the elements of an array. */
struct json_items {
	enum json_kind kind;
	size_t n;               /* that were begun */
	char key[JSON_KEY_MAX]; /* of the member; "" if it is longer */
};

/* Heap memory that is used again. */
struct json_text {
	char *bytes; /* ends with a zero byte */
	size_t size, n_allocated;
};

/* No problem was found so far. */
bool json_is_sound(const struct json_reader *reader);
/* Notes a problem at the byte that is read next. Returns false. */
__attribute__((format(printf, 2, 3))) bool json_fail(struct json_reader *reader, const char *format,
						     ...);
/* What comes next; JSON_OTHER: something else, or nothing. */
enum json_kind json_peek(struct json_reader *reader);
/* Enters an object or an array. */
bool json_start(struct json_reader *reader, struct json_items *items, enum json_kind kind);
/* Goes to the value of the next one. false: there is none, or after a problem. */
bool json_next(struct json_reader *reader, struct json_items *items);
/* Reads a value without taking it. */
bool json_skip(struct json_reader *reader);
/* UTF-8; a zero character is not allowed. */
bool json_read_text(struct json_reader *reader, struct json_text *text);
bool json_read_number(struct json_reader *reader, long double *number_ret);
/* A number that is not negative and has no fraction. */
bool json_read_index(struct json_reader *reader, uint64_t *index_ret);
/* Likewise, or UINT64_MAX for null and -1. */
bool json_read_optional(struct json_reader *reader, uint64_t *index_ret);
/* The file ends here. */
bool json_finish(struct json_reader *reader);

#endif
