#include "report/verify/json_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"

#define EXPONENT_MAX 4000 /* of 10, which every long double has */

bool json_is_sound(const struct json_reader *reader)
{
	return !reader->verification->problem && !reader->verification->lacks_memory;
}

bool json_fail(struct json_reader *reader, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	_cleanup_free_ char *problem = sentence_v(format, args);
	va_end(args);
	if (!problem)
		return verification_lacks_memory(reader->verification);
	return verification_fail(reader->verification, "byte %zu: %s", reader->at, problem);
}

/* -- characters ------------------------------------------------------------------------------- */

/* -1 at the end. */
static int peek(const struct json_reader *reader)
{
	return reader->at < reader->size ? reader->bytes[reader->at] : -1;
}

static int peek_after_blanks(struct json_reader *reader)
{
	int c = peek(reader);

	while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
		reader->at++;
		c = peek(reader);
	}
	return c;
}

static bool take(struct json_reader *reader, char wanted)
{
	if (!json_is_sound(reader))
		return false;
	if (peek_after_blanks(reader) != wanted)
		return json_fail(reader,
				 peek(reader) < 0 ? "the file is cut, '%c' is missing"
						  : "'%c' is missing",
				 wanted);
	reader->at++;
	return true;
}

static bool take_word(struct json_reader *reader, const char *word)
{
	const size_t size = strlen(word);

	if (reader->size - reader->at < size || memcmp(reader->bytes + reader->at, word, size) != 0)
		return json_fail(reader, "a value is malformed, or missing");
	reader->at += size;
	return true;
}

bool json_finish(struct json_reader *reader)
{
	return json_is_sound(reader) &&
	       (peek_after_blanks(reader) < 0 || json_fail(reader, "something follows the end"));
}

enum json_kind json_peek(struct json_reader *reader)
{
	const int c = peek_after_blanks(reader);

	switch (c) {
	case '{':
		return JSON_OBJECT;
	case '[':
		return JSON_ARRAY;
	case '"':
		return JSON_STRING;
	case 'n':
		return JSON_NULL;
	default:
		return c == '-' || (c >= '0' && c <= '9') ? JSON_NUMBER : JSON_OTHER;
	}
}

/* -- strings ---------------------------------------------------------------------------------- */

/* Adds a character. */
static bool add_code(struct json_reader *reader, struct json_text *text, uint32_t code)
{
	char bytes[4];
	size_t n = 0;

	if (!code || (code >= 0xd800 && code < 0xe000))
		return json_fail(reader, code ? "a string has half a character"
					      : "a string has a zero character");
	if (code < 0x80) {
		bytes[n++] = (char)code;
	} else if (code < 0x800) {
		bytes[n++] = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			bytes[n++] = (char)(0xe0 | code >> 12);
		} else {
			bytes[n++] = (char)(0xf0 | code >> 18);
			bytes[n++] = (char)(0x80 | (code >> 12 & 0x3f));
		}
		bytes[n++] = (char)(0x80 | (code >> 6 & 0x3f));
	}
	if (code >= 0x80)
		bytes[n++] = (char)(0x80 | (code & 0x3f));
	if (array_reserve(text->bytes, text->size, text->n_allocated, n + 1))
		return verification_lacks_memory(reader->verification);
	memcpy(text->bytes + text->size, bytes, n);
	text->size += n;
	return true;
}

static bool read_hex(struct json_reader *reader, uint32_t *code_ret)
{
	uint32_t code = 0;

	for (int i = 0; i < 4; i++) {
		const int c = peek(reader);
		const int digit = c >= '0' && c <= '9'   ? c - '0'
				  : c >= 'a' && c <= 'f' ? c - 'a' + 10
				  : c >= 'A' && c <= 'F' ? c - 'A' + 10
							 : -1;

		if (digit < 0)
			return json_fail(reader, "a string has a malformed escape");
		code = code << 4 | (uint32_t)digit;
		reader->at++;
	}
	*code_ret = code;
	return true;
}

/* After "\u": one character of UTF-16, or two that are one of Unicode. */
static bool read_unicode(struct json_reader *reader, uint32_t *code_ret)
{
	uint32_t low = 0;

	if (!read_hex(reader, code_ret))
		return false;
	if (*code_ret < 0xd800 || *code_ret >= 0xdc00)
		return true;
	if (!take_word(reader, "\\u") || !read_hex(reader, &low))
		return false;
	if (low < 0xdc00 || low >= 0xe000)
		return json_fail(reader, "a string has half a character");
	*code_ret = 0x10000 + ((*code_ret - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

static bool read_escape(struct json_reader *reader, struct json_text *text)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const int c = peek(reader);
	const char *letter = c > 0 ? strchr(letters, c) : NULL;
	uint32_t code = 0;

	reader->at += c >= 0;
	if (letter)
		return add_code(reader, text, (uint32_t)meanings[letter - letters]);
	if (c != 'u')
		return json_fail(reader, "a string has a malformed escape");
	return read_unicode(reader, &code) && add_code(reader, text, code);
}

/* The string ends somewhere, so no character of it leads out of the bytes. */
static bool read_plain(struct json_reader *reader, struct json_text *text)
{
	const char *at = (const char *)reader->bytes + reader->at;
	uint32_t code;
	const size_t size = printable_decode_utf8(at, &code);

	if (!size)
		return json_fail(reader, "a string is not UTF-8");
	if (code < ' ')
		return json_fail(reader, "a string has a control character");
	reader->at += size;
	return add_code(reader, text, code);
}

static bool string_ends(const struct json_reader *reader)
{
	for (size_t at = reader->at; at < reader->size; at++) {
		if (reader->bytes[at] == '"')
			return true;
		at += reader->bytes[at] == '\\';
	}
	return false;
}

bool json_read_text(struct json_reader *reader, struct json_text *text)
{
	text->size = 0;
	if (!json_is_sound(reader))
		return false;
	if (json_peek(reader) != JSON_STRING)
		return json_fail(reader, "there is no string");
	reader->at++;
	if (!string_ends(reader))
		return json_fail(reader, "a string does not end: the file is cut");
	while (peek(reader) != '"') {
		const bool is_escape = peek(reader) == '\\';

		reader->at += is_escape;
		if (!(is_escape ? read_escape(reader, text) : read_plain(reader, text)))
			return false;
	}
	reader->at++;
	if (array_reserve(text->bytes, text->size, text->n_allocated, 1))
		return verification_lacks_memory(reader->verification);
	text->bytes[text->size] = '\0';
	return true;
}

/* -- numbers ---------------------------------------------------------------------------------- */

static bool is_digit(const struct json_reader *reader)
{
	const int c = peek(reader);

	return c >= '0' && c <= '9';
}

/* Adds digits to a number. Returns how many. */
static size_t take_digits(struct json_reader *reader, long double *number)
{
	const size_t start = reader->at;

	for (; is_digit(reader); reader->at++)
		*number = *number * 10 + (reader->bytes[reader->at] - '0');
	return reader->at - start;
}

static long double power_of_ten(long exponent)
{
	long double power = 1, factor = 10;

	for (long i = exponent < 0 ? -exponent : exponent; i; i >>= 1, factor *= factor)
		power *= i & 1 ? factor : 1;
	return exponent < 0 ? 1 / power : power;
}

/* After the "e". */
static bool read_exponent(struct json_reader *reader, long *exponent)
{
	const bool is_negative = peek(reader) == '-';
	long double given = 0;

	if (is_negative || peek(reader) == '+')
		reader->at++;
	if (!take_digits(reader, &given))
		return json_fail(reader, "a number is malformed");
	if (given > EXPONENT_MAX)
		return json_fail(reader, "a number is out of range");
	*exponent += is_negative ? -(long)given : (long)given;
	return true;
}

bool json_read_number(struct json_reader *reader, long double *number_ret)
{
	long double number = 0;
	long exponent = 0;

	if (!json_is_sound(reader))
		return false;
	if (json_peek(reader) != JSON_NUMBER)
		return json_fail(reader, "there is no number");
	const bool is_negative = peek(reader) == '-';
	reader->at += is_negative;
	const bool begins_with_zero = peek(reader) == '0';
	const size_t n = take_digits(reader, &number);
	if (!n || (begins_with_zero && n > 1))
		return json_fail(reader, "a number is malformed");
	if (peek(reader) == '.') {
		reader->at++;
		const size_t n_digits = take_digits(reader, &number);
		if (!n_digits || n_digits > EXPONENT_MAX)
			return json_fail(reader, "a number is malformed");
		exponent = -(long)n_digits;
	}
	if (peek(reader) == 'e' || peek(reader) == 'E') {
		reader->at++;
		if (!read_exponent(reader, &exponent))
			return false;
	}
	number *= exponent && number > 0 ? power_of_ten(exponent) : 1;
	if (!isfinite(number))
		return json_fail(reader, "a number is out of range");
	*number_ret = is_negative ? -number : number;
	return true;
}

bool json_read_index(struct json_reader *reader, uint64_t *index_ret)
{
	uint64_t index = 0;

	if (!json_is_sound(reader))
		return false;
	if (json_peek(reader) != JSON_NUMBER || !is_digit(reader))
		return json_fail(reader, "there is no index");
	for (; is_digit(reader); reader->at++) {
		const uint64_t digit = reader->bytes[reader->at] - (uint64_t)'0';

		if (index > (UINT64_MAX - 1 - digit) / 10)
			return json_fail(reader, "an index is out of range");
		index = index * 10 + digit;
	}
	const int c = peek(reader);
	if (c == '.' || c == 'e' || c == 'E')
		return json_fail(reader, "an index has a fraction or an exponent");
	*index_ret = index;
	return true;
}

bool json_read_optional(struct json_reader *reader, uint64_t *index_ret)
{
	if (!json_is_sound(reader))
		return false;
	*index_ret = UINT64_MAX;
	if (json_peek(reader) == JSON_NULL)
		return take_word(reader, "null");
	if (peek(reader) == '-')
		return take_word(reader, "-1") &&
		       (!is_digit(reader) || json_fail(reader, "an index is negative"));
	return json_read_index(reader, index_ret);
}

/* -- objects and arrays ----------------------------------------------------------------------- */

bool json_start(struct json_reader *reader, struct json_items *items, enum json_kind kind)
{
	*items = (struct json_items){ .kind = kind };
	return take(reader, kind == JSON_OBJECT ? '{' : '[');
}

static bool read_key(struct json_reader *reader, struct json_items *items)
{
	struct json_text text = { 0 };
	const bool is_read = json_read_text(reader, &text) && take(reader, ':');

	items->key[0] = '\0';
	if (is_read && text.bytes && text.size < sizeof(items->key))
		memcpy(items->key, text.bytes, text.size + 1);
	free(text.bytes);
	return is_read;
}

bool json_next(struct json_reader *reader, struct json_items *items)
{
	const char end = items->kind == JSON_OBJECT ? '}' : ']';

	if (!json_is_sound(reader))
		return false;
	if (peek_after_blanks(reader) == end) {
		reader->at++;
		return false;
	}
	if (items->n++ && !take(reader, ','))
		return false;
	return items->kind != JSON_OBJECT || read_key(reader, items);
}

static bool skip_text(struct json_reader *reader)
{
	struct json_text text = { 0 };
	const bool is_read = json_read_text(reader, &text);

	free(text.bytes);
	return is_read;
}

static bool skip_other(struct json_reader *reader)
{
	switch (peek(reader)) {
	case 't':
		return take_word(reader, "true");
	case 'f':
		return take_word(reader, "false");
	case 'n':
		return take_word(reader, "null");
	case -1:
		return json_fail(reader, "the file is cut, a value is missing");
	default:
		return json_fail(reader, "a value is malformed, or missing");
	}
}

static bool skip(struct json_reader *reader, unsigned depth)
{
	const enum json_kind kind = json_peek(reader);
	struct json_items items;
	long double number;

	if (depth > JSON_DEPTH_MAX)
		return json_fail(reader, "objects and arrays are too deep in one another");
	if (kind == JSON_STRING)
		return skip_text(reader);
	if (kind == JSON_NUMBER)
		return json_read_number(reader, &number);
	if (kind != JSON_OBJECT && kind != JSON_ARRAY)
		return skip_other(reader);
	json_start(reader, &items, kind);
	while (json_next(reader, &items)) {
		if (!skip(reader, depth + 1))
			return false;
	}
	return json_is_sound(reader);
}

bool json_skip(struct json_reader *reader)
{
	return json_is_sound(reader) && skip(reader, 1);
}
