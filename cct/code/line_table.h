/* Source lines of JIT code by offset, from the recording. */
#ifndef CCT_CODE_LINE_TABLE_H
#define CCT_CODE_LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* The source line of @size bytes of code from @offset on. */
struct code_line {
	uint64_t offset, size;
	const char *file; /* owned by the table */
	uint32_t line;
};

struct line_table;

struct line_table *line_table_create(void);
void line_table_destroy(struct line_table *table);
/* Copies @file (@file_size bytes, no NUL needed). 0 or -ENOMEM. */
int line_table_add(struct line_table *table, uint64_t offset, uint32_t line, const char *file,
		   size_t file_size);
/* Ends a function at @end. The lines added since the last call, in any order, belong to it. */
void line_table_end(struct line_table *table, uint64_t end);
/* Sorts the table, after all lines have been added. */
void line_table_sort(struct line_table *table);
/* The line of the code at @offset, or NULL. */
const struct code_line *line_table_find(const struct line_table *table, uint64_t offset);

#endif
