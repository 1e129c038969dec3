/*
 * Expressions are evaluated as they are read, in one pass; both branches of a condition are, as
 * nothing has side effects. Depth is bounded, and texts that are made are in one buffer.
 */
#include "perf/tracing/trace_print.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 64,
	SCRATCH_SIZE = 32768, /* kernels have print statements of 10 KiB, full of names */
	SYMBOLS_MAX = 64,     /* names of bits that are set */
	SIZE_TEXT_MAX = 512,  /* widths and precisions are smaller */
	NUMBER_MAX = 32,
};

struct value {
	const char *text; /* NULL: a number */
	size_t text_size;
	uint64_t number;
	bool is_unknown; /* a constant whose number the recording does not contain: 0 */
};

struct print {
	const struct trace_format *format;
	const uint8_t *raw;
	size_t raw_size;
	const char *at, *end; /* of the statement */
	unsigned depth;
	bool has_failed;            /* something is not understood */
	char scratch[SCRATCH_SIZE]; /* texts that helpers make */
	size_t n_scratch;
	char *out;
	size_t n_out;
};

static struct value fail(struct print *print)
{
	print->has_failed = true;
	print->at = print->end;
	return (struct value){ .number = 0 };
}

static char peek(struct print *print)
{
	while (print->at < print->end && isspace((unsigned char)*print->at))
		print->at++;
	return print->at < print->end ? *print->at : '\0';
}

static bool take(struct print *print, const char *text)
{
	size_t size = strlen(text);

	peek(print);
	if ((size_t)(print->end - print->at) < size || memcmp(print->at, text, size) != 0)
		return false;
	print->at += size;
	return true;
}

static void expect(struct print *print, const char *text)
{
	if (!take(print, text))
		fail(print);
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t word_size(const char *at, const char *end)
{
	const char *start = at;

	while (at < end && is_word_char(*at))
		at++;
	return (size_t)(at - start);
}

static void put(struct print *print, const char *text, size_t size)
{
	size_t room = TRACE_TEXT_MAX - 1 - print->n_out;

	size = size < room ? size : room;
	if (size)
		memcpy(print->out + print->n_out, text, size);
	print->n_out += size;
}

static void put_scratch(struct print *print, const char *text, size_t size)
{
	if (size > SCRATCH_SIZE - print->n_scratch) {
		fail(print);
		return;
	}
	memcpy(print->scratch + print->n_scratch, text, size);
	print->n_scratch += size;
}

static struct value expression(struct print *print);

/* The text of a string literal, with its escapes. The literal begins at the quote. */
static struct value literal(struct print *print)
{
	size_t start = print->n_scratch;

	expect(print, "\"");
	while (!print->has_failed && print->at < print->end && *print->at != '"') {
		char c = *print->at++;

		if (c == '\\' && print->at < print->end) {
			c = *print->at++;
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		put_scratch(print, &c, 1);
	}
	expect(print, "\"");
	return (struct value){ .text = print->scratch + start,
			       .text_size = print->n_scratch - start };
}

static const struct trace_field *take_field(struct print *print)
{
	peek(print);
	size_t size = word_size(print->at, print->end);
	const struct trace_field *field = trace_format_find(print->format, print->at, size);

	print->at += size;
	if (!field)
		fail(print);
	return field;
}

static struct value bytes_of(struct print *print, const struct trace_field *field)
{
	const uint8_t *bytes;
	size_t n;

	if (!trace_field_bytes(field, print->raw, print->raw_size, &bytes, &n))
		return fail(print);
	return (struct value){ .text = (const char *)bytes, .text_size = n };
}

/* "REC->" was read. */
static struct value record_field(struct print *print)
{
	const struct trace_field *field = take_field(print);
	struct value value = { .text = NULL }, index = { .number = 0 };
	bool has_index = false;

	if (!field)
		return value;
	if (take(print, "[")) {
		index = expression(print);
		expect(print, "]");
		has_index = true;
	}
	if (field->is_string && !has_index)
		return bytes_of(print, field);
	if (!trace_field_number(field, print->raw, print->raw_size, index.number, &value.number))
		return fail(print);
	return value;
}

/* The digits of a number from the end of @text backward; returns how many. */
static size_t write_digits(uint64_t number, unsigned base, bool is_upper, char *end)
{
	const char *digits = is_upper ? "0123456789ABCDEF" : "0123456789abcdef";
	size_t n = 0;

	do
		*(end - ++n) = digits[number % base];
	while (number /= base);
	return n;
}

static void put_hex(struct print *print, const char *prefix, uint64_t number, size_t least)
{
	char text[NUMBER_MAX], *end = text + sizeof(text);
	size_t n = write_digits(number, 16, false, end);

	while (n < least)
		*(end - ++n) = '0';
	put_scratch(print, prefix, strlen(prefix));
	put_scratch(print, end - n, n);
}

static size_t text_length(const struct value *value)
{
	return value->text ? strnlen(value->text, value->text_size) : 0;
}

/* The first argument and the comma after it were read: "{ 0x1, "S" }, ...", in a helper. */
static struct value names(struct print *print, uint64_t number, const struct value *separator)
{
	uint64_t left = number;
	size_t n_names = 0, n_texts = 0;
	struct value found[SYMBOLS_MAX];

	while (!print->has_failed && take(print, "{")) {
		struct value flag = expression(print);
		expect(print, ",");
		struct value name = expression(print);
		expect(print, "}");
		bool is_left_out = !name.text || flag.is_unknown;
		bool fits = separator ? flag.number && (left & flag.number) == flag.number
				      : flag.number == number && !n_names;

		if (!is_left_out && fits && n_texts < SYMBOLS_MAX) {
			found[n_texts++] = name;
			left &= ~flag.number;
			n_names++;
		}
		if (!take(print, ","))
			break;
	}
	size_t start = print->n_scratch;
	for (size_t i = 0; i < n_texts; i++) {
		if (i)
			put_scratch(print, separator->text, text_length(separator));
		put_scratch(print, found[i].text, text_length(&found[i]));
	}
	if (separator ? left : !n_names) {
		if (n_names)
			put_scratch(print, separator->text, text_length(separator));
		put_hex(print, "0x", separator ? left : number, 1);
	}
	return (struct value){ .text = print->scratch + start,
			       .text_size = print->n_scratch - start };
}

static struct value print_flags(struct print *print)
{
	struct value number = expression(print);
	expect(print, ",");
	struct value separator = expression(print);
	if (!separator.text)
		return fail(print);
	expect(print, ",");
	return names(print, number.number, &separator);
}

static struct value print_symbolic(struct print *print)
{
	struct value number = expression(print);

	expect(print, ",");
	return names(print, number.number, NULL);
}

static struct value print_hex(struct print *print, const char *separator)
{
	struct value bytes = expression(print);
	expect(print, ",");
	struct value size = expression(print);
	size_t start = print->n_scratch;

	if (!bytes.text || size.number > bytes.text_size)
		return fail(print);
	for (size_t i = 0; i < size.number && !print->has_failed; i++) {
		put_hex(print, i ? separator : "", (uint8_t)bytes.text[i], 2);
	}
	return (struct value){ .text = print->scratch + start,
			       .text_size = print->n_scratch - start };
}

static struct value array_length(struct print *print)
{
	const struct trace_field *field = take_field(print);

	return (struct value){ .number = field ? bytes_of(print, field).text_size : 0 };
}

static struct value array(struct print *print)
{
	const struct trace_field *field = take_field(print);

	return field ? bytes_of(print, field) : (struct value){ .number = 0 };
}

static struct value helper(struct print *print, const char *name, size_t size)
{
	static const char *const arrays[] = { "__get_str", "__get_rel_str", "__get_dynamic_array",
					      "__get_rel_dynamic_array" };
	static const char *const lengths[] = { "__get_dynamic_array_len",
					       "__get_rel_dynamic_array_len" };
#define IS(text) (size == strlen(text) && memcmp(name, text, size) == 0)
	struct value value;

	expect(print, "(");
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		if (IS(arrays[i])) {
			value = array(print);
			expect(print, ")");
			return value;
		}
	}
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		if (IS(lengths[i])) {
			value = array_length(print);
			expect(print, ")");
			return value;
		}
	}
	if (IS("__print_flags"))
		value = print_flags(print);
	else if (IS("__print_symbolic"))
		value = print_symbolic(print);
	else if (IS("__print_hex"))
		value = print_hex(print, " ");
	else if (IS("__print_hex_str"))
		value = print_hex(print, "");
	else
		return fail(print);
#undef IS
	expect(print, ")");
	return value;
}

static struct value number(struct print *print)
{
	char text[NUMBER_MAX], *end;
	size_t size = word_size(print->at, print->end);

	if (size >= sizeof(text))
		return fail(print);
	memcpy(text, print->at, size);
	text[size] = '\0';
	print->at += size;
	struct value value = { .number = strtoull(text, &end, 0) };
	return end[strspn(end, "uUlL")] ? fail(print) : value;
}

static struct value primary(struct print *print)
{
	char c = peek(print);

	if (c == '"')
		return literal(print);
	if (isdigit((unsigned char)c))
		return number(print);
	if (take(print, "(")) {
		struct value value = expression(print);
		expect(print, ")");
		return value;
	}
	if (take(print, "REC->"))
		return record_field(print);
	const char *name = print->at;
	size_t size = word_size(name, print->end);
	print->at += size;
	if (!size)
		return fail(print);
	return peek(print) == '(' ? helper(print, name, size)
				  : (struct value){ .is_unknown = true };
}

static bool has_text(const char *at, size_t size, const char *text)
{
	return memmem(at, size, text, strlen(text));
}

static unsigned bits_of_type(const char *type, size_t size)
{
	if (memchr(type, '*', size) || has_text(type, size, "long"))
		return 64;
	if (has_text(type, size, "char") || has_text(type, size, "u8"))
		return 8;
	if (has_text(type, size, "short") || has_text(type, size, "16"))
		return 16;
	return has_text(type, size, "int") || has_text(type, size, "32") ? 32 : 64;
}

static bool is_signed_type(const char *type, size_t size)
{
	return !has_text(type, size, "unsigned") && *type != 'u' && !has_text(type, size, "__u");
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

/* "(unsigned long)" before a value. */
static bool take_cast(struct print *print, unsigned *n_bits, bool *is_signed)
{
	if (peek(print) != '(')
		return false;
	const char *type = skip_blanks(print->at + 1, print->end), *close = type;
	while (close < print->end && (is_word_char(*close) || *close == ' ' || *close == '*'))
		close++;
	if (close >= print->end || *close != ')' || type == close || isdigit((unsigned char)*type))
		return false;
	const char *next = skip_blanks(close + 1, print->end);
	if (next >= print->end || !(is_word_char(*next) || (*next && strchr("(\"-~!&", *next))))
		return false;
	*n_bits = bits_of_type(type, (size_t)(close - type));
	*is_signed = is_signed_type(type, (size_t)(close - type));
	print->at = close + 1;
	return true;
}

static struct value cast(struct value value, unsigned n_bits, bool is_signed)
{
	if (value.text || n_bits == 64)
		return value;
	uint64_t mask = (1ull << n_bits) - 1;
	bool is_negative = is_signed && value.number >> (n_bits - 1) & 1;

	value.number = is_negative ? value.number | ~mask : value.number & mask;
	return value;
}

static struct value unary(struct print *print)
{
	unsigned n_bits;
	bool is_signed;
	struct value value;

	if (print->depth >= DEPTH_MAX)
		return fail(print);
	print->depth++;
	if (take_cast(print, &n_bits, &is_signed)) {
		value = cast(unary(print), n_bits, is_signed);
	} else if (take(print, "-")) {
		value = unary(print);
		value.number = -value.number;
	} else if (take(print, "~")) {
		value = unary(print);
		value.number = ~value.number;
	} else if (take(print, "!")) {
		value = unary(print);
		value.number = !value.number;
	} else {
		value = primary(print);
	}
	print->depth--;
	return value;
}

/* By precedence; a longer operator precedes its own beginning. */
static const struct operator_text {
	const char *text;
	int precedence;
} operators[] = {
	{ "||", 1 }, { "&&", 2 }, { "==", 6 }, { "!=", 6 }, { "<<", 8 }, { ">>", 8 },
	{ "<=", 7 }, { ">=", 7 }, { "<", 7 },  { ">", 7 },  { "|", 3 },  { "^", 4 },
	{ "&", 5 },  { "+", 9 },  { "-", 9 },  { "*", 10 }, { "/", 10 }, { "%", 10 },
};

static const struct operator_text *next_operator(struct print *print, int least)
{
	peek(print);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t size = strlen(operators[i].text);

		if ((size_t)(print->end - print->at) < size ||
		    memcmp(print->at, operators[i].text, size) != 0)
			continue;
		if (operators[i].precedence < least)
			return NULL;
		print->at += size;
		return &operators[i];
	}
	return NULL;
}

static struct value apply(struct print *print, const char *op, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op[0]) {
	case '|':
		return (struct value){ .number = op[1] ? a || b : a | b };
	case '&':
		return (struct value){ .number = op[1] ? a && b : a & b };
	case '^':
		return (struct value){ .number = a ^ b };
	case '=':
		return (struct value){ .number = a == b };
	case '!':
		return (struct value){ .number = a != b };
	case '+':
		return (struct value){ .number = a + b };
	case '-':
		return (struct value){ .number = a - b };
	case '*':
		return (struct value){ .number = a * b };
	case '<':
		return (struct value){ .number = op[1] == '<'   ? b < 64 ? a << b : 0
						 : op[1] == '=' ? x <= y
								: x < y };
	case '>':
		return (struct value){ .number = op[1] == '>'   ? b < 64 ? a >> b : 0
						 : op[1] == '=' ? x >= y
								: x > y };
	default:
		if (!y || (x == INT64_MIN && y == -1))
			return fail(print);
		return (struct value){ .number = (uint64_t)(op[0] == '/' ? x / y : x % y) };
	}
}

static struct value binary(struct print *print, int least)
{
	struct value left = unary(print);
	const struct operator_text *op;

	while (!print->has_failed && (op = next_operator(print, least))) {
		struct value right = binary(print, op->precedence + 1);

		if (left.text || right.text)
			return fail(print);
		left = apply(print, op->text, left.number, right.number);
	}
	return left;
}

static struct value expression(struct print *print)
{
	if (print->depth >= DEPTH_MAX)
		return fail(print);
	print->depth++;
	struct value value = binary(print, 1);
	if (take(print, "?")) {
		struct value yes = expression(print);
		expect(print, ":");
		struct value no = expression(print);
		value = value.text || value.number ? yes : no;
	}
	print->depth--;
	return value;
}

/* A conversion of the format string: "%-16.8lx". */
struct conversion {
	bool is_left, has_zeros, has_plus, is_alternate;
	size_t width, precision;
	bool has_precision;
	unsigned n_longs, n_shorts;
	char type;
};

static struct value next_argument(struct print *print)
{
	expect(print, ",");
	return expression(print);
}

/* A number of the format string, or of an argument where that has an asterisk. */
static const char *take_size(struct print *print, const char *at, const char *end, size_t *ret)
{
	if (at < end && *at == '*') {
		*ret = next_argument(print).number % SIZE_TEXT_MAX;
		return at + 1;
	}
	for (*ret = 0; at < end && isdigit((unsigned char)*at); at++)
		*ret = (*ret * 10 + (size_t)(*at - '0')) % SIZE_TEXT_MAX;
	return at;
}

static const char *take_conversion(struct print *print, const char *at, const char *end,
				   struct conversion *conversion)
{
	*conversion = (struct conversion){ .type = '\0' };
	for (; at < end && *at && strchr("-+ #0", *at); at++) {
		conversion->is_left |= *at == '-';
		conversion->has_zeros |= *at == '0';
		conversion->has_plus |= *at == '+';
		conversion->is_alternate |= *at == '#';
	}
	at = take_size(print, at, end, &conversion->width);
	if (at < end && *at == '.') {
		at = take_size(print, at + 1, end, &conversion->precision);
		conversion->has_precision = true;
	}
	for (; at < end && *at && strchr("lhzjtL", *at); at++) {
		conversion->n_longs += *at != 'h';
		conversion->n_shorts += *at == 'h';
	}
	conversion->type = at < end ? *at++ : '\0';
	return at;
}

static void put_many(struct print *print, char c, size_t n)
{
	while (n--)
		put(print, &c, 1);
}

static void put_padded(struct print *print, const struct conversion *conversion, const char *text,
		       size_t size)
{
	size_t n = size < conversion->width ? conversion->width - size : 0;

	put_many(print, ' ', conversion->is_left ? 0 : n);
	put(print, text, size);
	put_many(print, ' ', conversion->is_left ? n : 0);
}

static void put_integer(struct print *print, const struct conversion *conversion, uint64_t number)
{
	unsigned n_bits = conversion->n_longs         ? 64
			  : conversion->n_shorts == 1 ? 16
			  : conversion->n_shorts > 1  ? 8
						      : 32;
	char type = conversion->type, text[SIZE_TEXT_MAX + 32], *end = text + sizeof(text);
	bool is_decimal = type == 'd' || type == 'i', is_hex = type == 'x' || type == 'X';
	struct value value = cast((struct value){ .number = number }, n_bits, is_decimal);
	bool is_negative = is_decimal && (int64_t)value.number < 0;
	unsigned base = is_hex ? 16 : type == 'o' ? 8 : 10;
	size_t n = write_digits(is_negative ? -value.number : value.number, base, type == 'X', end);
	size_t n_prefix = (is_negative || (is_decimal && conversion->has_plus)) +
			  (is_hex && conversion->is_alternate && value.number ? 2 : 0);
	size_t least =
		conversion->has_precision ? conversion->precision
		: conversion->has_zeros && !conversion->is_left && conversion->width > n_prefix
			? conversion->width - n_prefix
			: 1;

	while (n < least)
		*(end - ++n) = '0';
	if (n_prefix >= 2) {
		*(end - ++n) = type;
		*(end - ++n) = '0';
	}
	if (n_prefix % 2)
		*(end - ++n) = is_negative ? '-' : '+';
	put_padded(print, conversion, end - n, n);
}

static void put_text(struct print *print, const struct conversion *conversion,
		     const struct value *value)
{
	size_t size = text_length(value);

	if (conversion->has_precision && size > conversion->precision)
		size = conversion->precision;
	put_padded(print, conversion, value->text, size);
}

/* Pointers: addresses. Other types of %p (%pI4, %pM) are not understood. */
static const char *put_pointer(struct print *print, const char *at, const char *end)
{
	struct value value = next_argument(print);
	char text[32];

	if (at < end && strchr("sSfFx", *at) && *at)
		at++;
	if (value.text || (at < end && is_word_char(*at))) {
		fail(print);
		return at;
	}
	snprintf(text, sizeof(text), value.number ? "0x%" PRIx64 : "(nil)", value.number);
	put(print, text, strlen(text));
	return at;
}

static const char *put_conversion(struct print *print, const char *at, const char *end)
{
	struct conversion conversion;

	at = take_conversion(print, at, end, &conversion);
	if (conversion.type == '%') {
		put(print, "%", 1);
		return at;
	}
	if (conversion.type == 'p')
		return put_pointer(print, at, end);
	struct value value = next_argument(print);
	if (print->has_failed)
		return at;
	if (conversion.type == 's' && value.text)
		put_text(print, &conversion, &value);
	else if (conversion.type && strchr("diouxX", conversion.type) && !value.text)
		put_integer(print, &conversion, value.number);
	else if (conversion.type == 'c' && !value.text)
		put(print, (const char[]){ (char)value.number }, 1);
	else
		fail(print);
	return at;
}

static void run(struct print *print)
{
	struct value format = literal(print);
	const char *at = format.text, *end = at + format.text_size;

	while (!print->has_failed && at < end) {
		const char *percent = memchr(at, '%', end - at);

		put(print, at, percent ? percent - at : end - at);
		at = percent ? put_conversion(print, percent + 1, end) : end;
	}
}

static void put_plain(struct print *print, uint64_t number, bool is_signed)
{
	const struct conversion conversion = { .n_longs = 1, .type = is_signed ? 'd' : 'u' };

	put_integer(print, &conversion, number);
}

/* " name=value" for each field but the common ones. */
static void put_fields(struct print *print)
{
	for (size_t i = print->format->n_common; i < print->format->n_fields; i++) {
		const struct trace_field *field = &print->format->fields[i];
		struct value value = { .text = NULL };
		const uint8_t *bytes;

		put(print, i > print->format->n_common ? " " : "", i > print->format->n_common);
		put(print, field->name, field->name_size);
		put(print, "=", 1);
		if (field->is_string && trace_field_bytes(field, print->raw, print->raw_size,
							  &bytes, &value.text_size)) {
			value.text = (const char *)bytes;
			put(print, value.text, text_length(&value));
		} else if (trace_field_number(field, print->raw, print->raw_size, 0,
					      &value.number)) {
			put_plain(print, value.number, field->is_signed);
		}
	}
}

size_t trace_print(const struct trace_format *format, const uint8_t *raw, size_t size,
		   char text[static TRACE_TEXT_MAX])
{
	struct print print = { .format = format, .raw = raw, .raw_size = size, .out = text };

	print.at = format->print ? format->print : "";
	print.end = print.at + format->print_size;
	if (format->print)
		run(&print);
	if (!format->print || print.has_failed) {
		print.n_out = 0;
		put_fields(&print);
	}
	text[print.n_out] = '\0';
	return print.n_out;
}
