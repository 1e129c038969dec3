/*
 * The line table of a unit: which line of which file an instruction is from (DWARF 5, 6.2, and the
 * older versions from 2 on). Of a row that follows one of the same line only its end is kept. Names
 * of files are read at once, rows when the first is looked for: most tables are asked for names.
 * Not thread-safe.
 */
#ifndef REPORT_DWARF_DEBUG_LINES_H
#define REPORT_DWARF_DEBUG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/dwarf/debug_sections.h"

struct debug_line {
	uint64_t address; /* of its first instruction; the next row's is behind its last */
	uint32_t file;
	uint32_t line; /* 0: none */
};

/* Rows for consecutive code; the last one only says where it ends. */
struct debug_sequence {
	uint64_t start, end;
	uint64_t reach; /* the highest end of all up to this one */
	uint32_t first_row, n_rows;
};

struct debug_source_file {
	const char *name, *directory; /* as in the file; NULL: none */
	char *path;                   /* of both; NULL: not asked for yet */
};

struct debug_lines {
	const struct debug_sections *sections;
	uint64_t offset; /* of the table */
	bool has_rows;   /* they were read, and there may be none */
	struct debug_line *rows;
	uint32_t n_rows, n_rows_allocated;
	struct debug_sequence *sequences; /* sorted by start */
	uint32_t n_sequences, n_sequences_allocated;
	struct debug_source_file *files;
	uint32_t n_files, n_files_allocated;
	const char **directories;
	uint32_t n_directories, n_directories_allocated;
};

/* All tables of a module that were asked for. */
struct debug_line_tables {
	void *tree;      /* of tsearch() */
	uint64_t budget; /* bytes that may still be read: however often a file refers to them */
};

/*
 * The table at @offset of .debug_line. @directory: that of the unit, DW_AT_comp_dir, or NULL.
 * Whatever is wrong, what was read before it is there. Valid until debug_line_tables_deinit(), as
 * long as @sections. NULL: there is none, or no memory.
 */
struct debug_lines *debug_line_tables_get(struct debug_line_tables *tables,
					  const struct debug_sections *sections, uint64_t offset,
					  const char *directory);
void debug_line_tables_deinit(struct debug_line_tables *tables);
/* The row of the instruction at @vaddr, or NULL. */
const struct debug_line *debug_lines_find(struct debug_lines *lines, uint64_t vaddr);
/* The path of a file by its number, as attributes and rows have it; NULL: there is none. */
const char *debug_lines_file(struct debug_lines *lines, uint64_t number);

#endif
