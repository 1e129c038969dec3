/* Source lines by offset, as a recording tells of code made at run time. */
#ifndef CCT_MODEL_LINE_TABLE_H
#define CCT_MODEL_LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* From @offset on. */
struct code_line {
	uint64_t offset, size;
	const char *file; /* the table's */
	uint32_t line;
};

struct line_table;

struct line_table *line_table_create(void);
void line_table_destroy(struct line_table *table);
/* Copies @file (@file_size bytes, no NUL needed). 0 or -ENOMEM. */
int line_table_add(struct line_table *table, uint64_t offset, uint32_t line, const char *file,
		   size_t file_size);
/* Lines added since the last call are those of one function, in any order, which ends at @end. */
void line_table_end(struct line_table *table, uint64_t end);
/* Once all are there. */
void line_table_sort(struct line_table *table);
/* The line that holds @offset, or NULL. */
const struct code_line *line_table_find(const struct line_table *table, uint64_t offset);

#endif
