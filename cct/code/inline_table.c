#include "cct/code/inline_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/arena.h"
#include "cct/base/array.h"
#include "cct/base/sorted.h"

struct inline_table {
	struct inlined_code *codes; /* sorted, no overlaps */
	size_t n, n_allocated;
	struct arena names;
};

struct inline_table *inline_table_create(void)
{
	return calloc(1, sizeof(struct inline_table));
}

void inline_table_destroy(struct inline_table *table)
{
	if (!table)
		return;
	arena_deinit(&table->names);
	free(table->codes);
	free(table);
}

/* Empty names are skipped. 0 or -ENOMEM. */
static int keep_names(struct inline_table *table, const char *names, size_t size,
		      struct inlined_code *code)
{
	const char *copy = arena_copy_text(&table->names, names, size);
	const char *kept[INLINE_DEPTH_MAX];
	size_t n = 0;

	if (!copy)
		return -ENOMEM;
	for (size_t at = 0; at < size && n < INLINE_DEPTH_MAX; at += strlen(copy + at) + 1)
		if (copy[at])
			kept[n++] = copy + at;
	const char **list = arena_alloc(&table->names, n * sizeof(*list) + 1);
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		list[i] = kept[i];
	code->names = list;
	code->n_names = n;
	return 0;
}

static size_t first_ending_above(const struct inline_table *table, uint64_t offset)
{
	return sorted_count(table->n, i, table->codes[i].offset + table->codes[i].size <= offset);
}

int inline_table_add(struct inline_table *table, uint64_t offset, uint64_t size, const char *names,
		     size_t names_size)
{
	struct inlined_code added = { .offset = offset, .size = size };

	if (!size || offset > UINT64_MAX - size)
		return -EINVAL;
	const size_t first = first_ending_above(table, offset);
	size_t after = first;
	while (after < table->n && table->codes[after].offset < offset + size)
		after++;
	if (first == after && table->n >= INLINE_TABLE_MAX)
		return -EINVAL;
	if (array_reserve(table->codes, table->n, table->n_allocated, 1) ||
	    keep_names(table, names, names_size, &added))
		return -ENOMEM;
	memmove(table->codes + first + 1, table->codes + after,
		(table->n - after) * sizeof(*table->codes));
	table->codes[first] = added;
	table->n = table->n - (after - first) + 1;
	return 0;
}

const struct inlined_code *inline_table_find(const struct inline_table *table, uint64_t offset)
{
	if (!table)
		return NULL;
	const size_t i = first_ending_above(table, offset);
	return i < table->n && table->codes[i].offset <= offset ? &table->codes[i] : NULL;
}
