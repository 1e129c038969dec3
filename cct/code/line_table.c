#include "cct/code/line_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"

struct line_table {
	struct code_line *lines;
	size_t n, n_allocated;
	size_t n_ended; /* lines of functions that are complete */
	char **files;
	size_t n_files, n_files_allocated;
};

struct line_table *line_table_create(void)
{
	return calloc(1, sizeof(struct line_table));
}

void line_table_destroy(struct line_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->n_files; i++)
		free(table->files[i]);
	free(table->files);
	free(table->lines);
	free(table);
}

/* Most lines have the same file as the line before. */
static const char *keep_file(struct line_table *table, const char *file, size_t size)
{
	const char *last = table->n_files ? table->files[table->n_files - 1] : NULL;

	if (last && strncmp(last, file, size) == 0 && !last[size])
		return last;
	if (array_reserve(table->files, table->n_files, table->n_files_allocated, 1))
		return NULL;
	char *copy = strndup(file, size);
	if (copy)
		table->files[table->n_files++] = copy;
	return copy;
}

int line_table_add(struct line_table *table, uint64_t offset, uint32_t line, const char *file,
		   size_t file_size)
{
	const char *copy = keep_file(table, file, file_size);

	if (!copy)
		return -ENOMEM;
	if (array_reserve(table->lines, table->n, table->n_allocated, 1))
		return -ENOMEM;
	/* Until the function ends, the size is the line's number in the order of addition. */
	table->lines[table->n] = (struct code_line){
		.offset = offset, .size = table->n, .file = copy, .line = line
	};
	table->n++;
	return 0;
}

static int compare_offsets(const void *a, const void *b)
{
	const struct code_line *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

void line_table_end(struct line_table *table, uint64_t end)
{
	size_t n = table->n - table->n_ended;

	if (!n)
		return;
	struct code_line *lines = table->lines + table->n_ended;
	qsort(lines, n, sizeof(*lines), compare_offsets);
	/* Of several lines at one offset, the last one added is kept. */
	for (size_t i = 0; i < n; i++) {
		uint64_t next = i + 1 < n ? lines[i + 1].offset : end;

		if (next == lines[i].offset)
			continue;
		table->lines[table->n_ended] = lines[i];
		table->lines[table->n_ended++].size = next - lines[i].offset;
	}
	table->n = table->n_ended;
}

void line_table_sort(struct line_table *table)
{
	if (table->n)
		qsort(table->lines, table->n, sizeof(*table->lines), compare_offsets);
}

const struct code_line *line_table_find(const struct line_table *table, uint64_t offset)
{
	size_t n = sorted_count(table->n, i, table->lines[i].offset <= offset);

	if (!n)
		return NULL;
	const struct code_line *line = &table->lines[n - 1];
	return offset - line->offset < line->size ? line : NULL;
}
