#include "collector/attached/jit_names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/hex.h"
#include "collector/attached/latest_ranges.h"

#define NAME_MAX_SIZE 4096u

struct line {
	uint64_t start, end;
	const char *name;
	uint32_t name_size;
};

struct lines {
	struct line *lines;
	size_t n, n_allocated;
};

static bool take_hex(const char **at, const char *end, uint64_t *value_ret)
{
	const char *begin = *at;
	uint64_t value = 0;

	for (int digit; *at < end && (digit = hex_digit(**at)) >= 0; ++*at) {
		if (value >> 60)
			return false;
		value = value << 4 | (uint64_t)digit;
	}
	*value_ret = value;
	return *at > begin;
}

static void skip_prefix(const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
	if (end - *at > 2 && (*at)[0] == '0' && ((*at)[1] == 'x' || (*at)[1] == 'X'))
		*at += 2;
}

static bool parse_line(const char *at, const char *end, struct line *line)
{
	uint64_t size;

	skip_prefix(&at, end);
	if (!take_hex(&at, end, &line->start) || at == end || *at != ' ')
		return false;
	skip_prefix(&at, end);
	if (!take_hex(&at, end, &size) || at == end || *at != ' ' || !size ||
	    size > UINT64_MAX - line->start)
		return false;
	at++;
	if (end > at && end[-1] == '\r')
		end--;
	line->end = line->start + size;
	line->name = at;
	line->name_size = (uint32_t)(end - at < NAME_MAX_SIZE ? end - at : NAME_MAX_SIZE);
	return end > at;
}

static bool add_line(struct lines *lines, const struct line *line)
{
	if (array_reserve(lines->lines, lines->n, lines->n_allocated, 1))
		return false;
	lines->lines[lines->n++] = *line;
	return true;
}

static bool read_lines(struct lines *lines, const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end && lines->n < UINT32_MAX) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		struct line line;

		/* A line without an end is one that was still being written. */
		if (!stop)
			break;
		if (parse_line(text, stop, &line) && !add_line(lines, &line))
			return false;
		text = stop + 1;
	}
	return true;
}

/* A symbol for each part that a line names without a break. */
static bool add_symbols(struct symbol_table *table, const struct lines *lines)
{
	struct range *parts = NULL;
	size_t n_parts = 0;

	if (!lines->n)
		return true;
	_cleanup_free_ struct range *ranges = calloc(lines->n, sizeof(*ranges));
	for (size_t i = 0; ranges && i < lines->n; i++)
		ranges[i] =
			(struct range){ lines->lines[i].start, lines->lines[i].end, (uint32_t)i };
	bool is_done = ranges && !latest_ranges(ranges, lines->n, &parts, &n_parts);
	for (size_t i = 0; i < n_parts && is_done; i++) {
		const struct line *line = &lines->lines[parts[i].number];

		is_done = !symbol_table_add(table, parts[i].start, parts[i].end - parts[i].start,
					    line->name, line->name_size);
	}
	free(parts);
	return is_done;
}

struct symbol_table *jit_names_parse(const char *text, size_t size)
{
	struct symbol_table *table = symbol_table_create();
	struct lines lines = { 0 };

	if (!table)
		return NULL;
	bool is_done = read_lines(&lines, text, size) && add_symbols(table, &lines);
	free(lines.lines);
	if (!is_done) {
		symbol_table_destroy(table);
		return NULL;
	}
	symbol_table_sort(table);
	return table;
}
