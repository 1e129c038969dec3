#include "collector/jit_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cct/cleanup.h"

#define NAME_MAX_SIZE 4096u

struct line {
	uint64_t start, end;
	const char *name;
	uint32_t name_size;
	uint32_t number;
};

struct lines {
	struct line *lines;
	size_t n, n_allocated;
};

static bool take_hex(const char **at, const char *end, uint64_t *value_ret)
{
	const char *begin = *at;
	uint64_t value = 0;

	while (*at < end && isxdigit((unsigned char)**at)) {
		int digit = tolower((unsigned char)*(*at)++);

		if (value >> 60)
			return false;
		value = value << 4 | (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
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

static bool add_line(struct lines *lines, struct line *line)
{
	if (lines->n == lines->n_allocated) {
		size_t n = lines->n ? lines->n * 2 : 1024;
		struct line *larger = reallocarray(lines->lines, n, sizeof(*larger));

		if (!larger)
			return false;
		lines->lines = larger;
		lines->n_allocated = n;
	}
	line->number = (uint32_t)lines->n;
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

static int compare_starts(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The lines that hold an address, the latest on top: a binary heap. */
struct heap {
	const struct line **lines;
	size_t n;
};

static void heap_push(struct heap *heap, const struct line *line)
{
	size_t i = heap->n++;

	for (; i && heap->lines[(i - 1) / 2]->number < line->number; i = (i - 1) / 2)
		heap->lines[i] = heap->lines[(i - 1) / 2];
	heap->lines[i] = line;
}

static void heap_pop(struct heap *heap)
{
	const struct line *last = heap->lines[--heap->n];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < heap->n &&
		    heap->lines[child + 1]->number > heap->lines[child]->number)
			child++;
		if (child >= heap->n || heap->lines[child]->number < last->number)
			break;
		heap->lines[i] = heap->lines[child];
		i = child;
	}
	heap->lines[i] = last;
}

/* What a line names without a break. */
struct part {
	const struct line *line; /* NULL: none yet */
	uint64_t start, end;
};

static bool add_part(struct symbol_table *table, const struct part *part)
{
	return !part->line || symbol_table_add(table, part->start, part->end - part->start,
					       part->line->name, part->line->name_size) == 0;
}

/* Goes up through the addresses: each part belongs to the latest line that holds it. */
static bool add_symbols(struct symbol_table *table, const struct lines *lines)
{
	_cleanup_free_ const struct line **room = calloc(lines->n + 1, sizeof(*room));
	struct heap heap = { .lines = room };
	struct part part = { .line = NULL };
	uint64_t at = 0;
	size_t next = 0;

	if (!room)
		return false;
	while (next < lines->n || heap.n) {
		if (!heap.n)
			at = lines->lines[next].start;
		while (next < lines->n && lines->lines[next].start <= at)
			heap_push(&heap, &lines->lines[next++]);
		while (heap.n && heap.lines[0]->end <= at)
			heap_pop(&heap);
		if (!heap.n)
			continue;
		const struct line *top = heap.lines[0];
		uint64_t end = top->end;
		if (next < lines->n && lines->lines[next].start < end)
			end = lines->lines[next].start;
		if (part.line != top || part.end != at) {
			if (!add_part(table, &part))
				return false;
			part = (struct part){ .line = top, .start = at };
		}
		part.end = at = end;
	}
	return add_part(table, &part);
}

struct symbol_table *jit_names_parse(const char *text, size_t size)
{
	struct symbol_table *table = symbol_table_create();
	struct lines lines = { 0 };

	if (!table)
		return NULL;
	bool is_done = read_lines(&lines, text, size);
	if (is_done && lines.n)
		qsort(lines.lines, lines.n, sizeof(*lines.lines), compare_starts);
	is_done = is_done && add_symbols(table, &lines);
	free(lines.lines);
	if (!is_done) {
		symbol_table_destroy(table);
		return NULL;
	}
	symbol_table_sort(table);
	return table;
}
