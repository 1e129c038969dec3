/* Fields of tracepoints: format text -> positions -> values. */
#include "perf/tracing/trace_format.h"

#include <ctype.h>
#include <string.h>

#define PRINT "print fmt: "

struct span {
	const char *at, *end;
};

static bool skip_text(struct span *span, const char *text)
{
	size_t size = strlen(text);

	if ((size_t)(span->end - span->at) < size || memcmp(span->at, text, size) != 0)
		return false;
	span->at += size;
	return true;
}

/* A decimal number of at most nine digits. */
static bool take_number(struct span *span, uint32_t *ret)
{
	const char *start = span->at;
	uint32_t number = 0;

	while (span->at < span->end && isdigit((unsigned char)*span->at) && span->at - start < 9)
		number = number * 10 + (uint32_t)(*span->at++ - '0');
	*ret = number;
	return span->at > start;
}

static bool has_word(struct span span, const char *word)
{
	size_t size = strlen(word);

	for (; (size_t)(span.end - span.at) >= size; span.at++)
		if (memcmp(span.at, word, size) == 0)
			return true;
	return false;
}

/* The array's brackets at the end of a declaration, or after its type. */
static void take_brackets(struct span *declaration, struct trace_field *field, bool *is_array)
{
	const char *open = memchr(declaration->at, '[', declaration->end - declaration->at);
	struct span inside = { open ? open + 1 : NULL, declaration->end };

	*is_array = open;
	if (!open || !take_number(&inside, &field->n_elements))
		field->n_elements = 0;
	/* "char name[16]": the name precedes them; "char[] name": it follows. */
	const char *close = open ? memchr(open, ']', declaration->end - open) : NULL;
	if (close && close + 1 < declaration->end)
		declaration->at = close + 1;
	else if (open)
		declaration->end = open;
}

/* The name is the last word of a declaration: "unsigned short common_type". */
static void take_name(struct span declaration, struct trace_field *field)
{
	const char *start = declaration.end;

	while (start > declaration.at && (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
		start--;
	field->name = start;
	field->name_size = (size_t)(declaration.end - start);
}

static void take_declaration(struct span declaration, struct trace_field *field)
{
	bool is_array, is_char = has_word(declaration, "char");

	field->is_data_loc = has_word(declaration, "__data_loc ");
	field->is_rel_loc = has_word(declaration, "__rel_loc ");
	take_brackets(&declaration, field, &is_array);
	if (is_array && !field->n_elements && is_char)
		field->n_elements = field->size;
	field->is_string = is_array && is_char;
	take_name(declaration, field);
}

/* "\tfield:DECLARATION;\toffset:8;\tsize:16;\tsigned:0;" */
static bool take_field(struct span line, struct trace_field *field)
{
	uint32_t is_signed;

	*field = (struct trace_field){ .name = NULL };
	if (!skip_text(&line, "\tfield:"))
		return false;
	struct span declaration = line;
	const char *semicolon = memchr(line.at, ';', line.end - line.at);
	if (!semicolon)
		return false;
	declaration.end = line.at = semicolon;
	if (!skip_text(&line, ";\toffset:") || !take_number(&line, &field->offset) ||
	    !skip_text(&line, ";\tsize:") || !take_number(&line, &field->size) ||
	    !skip_text(&line, ";\tsigned:") || !take_number(&line, &is_signed))
		return false;
	field->is_signed = is_signed;
	take_declaration(declaration, field);
	return field->name_size;
}

static void take_line(struct span line, struct trace_format *format, bool *has_id)
{
	struct span rest = line;
	uint32_t id;

	if (skip_text(&rest, "ID: ") && take_number(&rest, &id)) {
		format->id = id;
		*has_id = true;
	} else if (format->n_fields < TRACE_FIELDS_MAX &&
		   take_field(line, &format->fields[format->n_fields])) {
		format->n_fields++;
	} else if (line.at == line.end && !format->n_common) {
		format->n_common = format->n_fields;
	}
}

bool trace_format_parse(const char *text, size_t size, struct trace_format *ret)
{
	struct span rest = { text, text + size };
	bool has_id = false;

	*ret = (struct trace_format){ .n_fields = 0 };
	while (rest.at < rest.end) {
		const char *newline = memchr(rest.at, '\n', rest.end - rest.at);
		struct span line = { rest.at, newline ? newline : rest.end };

		if (skip_text(&line, PRINT)) {
			ret->print = line.at;
			ret->print_size = (size_t)(line.end - line.at);
		} else {
			take_line(line, ret, &has_id);
		}
		rest.at = newline ? newline + 1 : rest.end;
	}
	return has_id && ret->n_fields;
}

const struct trace_field *trace_format_find(const struct trace_format *format, const char *name,
					    size_t name_size)
{
	for (size_t i = 0; i < format->n_fields; i++) {
		const struct trace_field *field = &format->fields[i];

		if (field->name_size == name_size && memcmp(field->name, name, name_size) == 0)
			return field;
	}
	return NULL;
}

static bool read_number(const uint8_t *at, size_t size, bool is_signed, uint64_t *ret)
{
	uint64_t value = 0;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	memcpy(&value, at, size); /* host byte order, which is little endian or size is 8 */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value >>= 64 - 8 * size;
#endif
	if (is_signed && size < 8 && value >> (8 * size - 1))
		value |= UINT64_MAX << (8 * size);
	*ret = value;
	return true;
}

bool trace_field_bytes(const struct trace_field *field, const uint8_t *raw, size_t size,
		       const uint8_t **bytes_ret, size_t *n_ret)
{
	uint64_t place, offset = field->offset, n = field->size;

	if (offset > size || n > size - offset)
		return false;
	if (field->is_data_loc || field->is_rel_loc) {
		if (!read_number(raw + offset, n, false, &place))
			return false;
		offset = (place & 0xffff) + (field->is_rel_loc ? offset + n : 0);
		n = place >> 16 & 0xffff;
		if (offset > size || n > size - offset)
			return false;
	}
	*bytes_ret = raw + offset;
	*n_ret = n;
	return true;
}

bool trace_field_number(const struct trace_field *field, const uint8_t *raw, size_t size,
			uint64_t index, uint64_t *ret)
{
	const uint8_t *bytes;
	size_t n, element = field->n_elements ? field->size / field->n_elements : field->size;

	if (!trace_field_bytes(field, raw, size, &bytes, &n) || !element || index >= n / element)
		return false;
	return read_number(bytes + index * element, element, field->is_signed, ret);
}
