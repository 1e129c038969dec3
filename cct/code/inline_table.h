/* Functions that are inlined into code made at run time, by offset, from the recording. */
#ifndef CCT_CODE_INLINE_TABLE_H
#define CCT_CODE_INLINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* A table with more is full. */
#define INLINE_TABLE_MAX (1u << 16)
/* How deep; those that are deeper are left out. */
#define INLINE_DEPTH_MAX 64

/* What is inlined into @size bytes of code from @offset on. */
struct inlined_code {
	uint64_t offset, size;
	size_t n_names;
	const char *const *names; /* the outermost function first; owned by the table */
};

struct inline_table;

struct inline_table *inline_table_create(void);
void inline_table_destroy(struct inline_table *table);
/*
 * Adds code in place of what it overlaps. @names: @names_size bytes, copied: the names, a zero
 * between each two. 0, -ENOMEM, or -EINVAL (it is empty, or the table is full): unchanged.
 */
int inline_table_add(struct inline_table *table, uint64_t offset, uint64_t size, const char *names,
		     size_t names_size);
/* The code at @offset, or NULL; valid until the next addition. @table may be NULL. */
const struct inlined_code *inline_table_find(const struct inline_table *table, uint64_t offset);

#endif
