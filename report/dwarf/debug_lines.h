/*
 * The line table of a unit, which maps instructions to source files and lines (DWARF 5, 6.2, and
 * versions from 2 on). Consecutive rows of the same line are merged. Names of files are read at
 * once, rows at the first search, because most tables are only used for names. Discriminators,
 * which tell apart the blocks of one line (DWARF 5, 6.2.2), are read on request. Not thread-safe.
 */
#ifndef REPORT_DWARF_DEBUG_LINES_H
#define REPORT_DWARF_DEBUG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/dwarf/debug_sections.h"

struct debug_line {
	uint64_t
		address; /* of its first instruction; its last one ends at the next row's address */
	uint32_t file;
	uint32_t line; /* 0: none */
};

/* Rows for consecutive code; the last row only marks the end. */
struct debug_sequence {
	uint64_t start, end;
	uint64_t reach; /* the highest end of this sequence and all before it */
	uint32_t first_row, n_rows;
};

struct debug_source_file {
	const char *name, *directory; /* as in the file; NULL: none */
	char *path;                   /* both joined; NULL: not requested yet */
};

struct debug_lines {
	const struct debug_sections *sections;
	uint64_t offset;         /* of the table */
	bool has_rows;           /* rows were read; there may be none */
	bool has_discriminators; /* rows of one line are merged if these are equal, too */
	struct debug_line *rows;
	uint32_t *discriminators; /* by row; NULL unless has_discriminators */
	uint32_t n_discriminators_allocated;
	uint32_t n_rows, n_rows_allocated;
	struct debug_sequence *sequences; /* sorted by start */
	uint32_t n_sequences, n_sequences_allocated;
	struct debug_source_file *files;
	uint32_t n_files, n_files_allocated;
	const char **directories;
	uint32_t n_directories, n_directories_allocated;
};

/* All tables of a module that were requested so far. */
struct debug_line_tables {
	void *tree;      /* of tsearch() */
	uint64_t budget; /* how many bytes may still be read, however often a file refers to its
			    tables */
};

/*
 * The table at @offset of .debug_line. @directory: DW_AT_comp_dir of the unit, or NULL. A malformed
 * table keeps what was read before the error. Valid until debug_line_tables_deinit(), and as long
 * as @sections. NULL: no such table, or out of memory.
 */
struct debug_lines *debug_line_tables_get(struct debug_line_tables *tables,
					  const struct debug_sections *sections, uint64_t offset,
					  const char *directory);
void debug_line_tables_deinit(struct debug_line_tables *tables);
/* The row of the instruction at @vaddr, or NULL. */
const struct debug_line *debug_lines_find(struct debug_lines *lines, uint64_t vaddr);
/* Likewise, with the discriminator of the row. The first call reads the rows anew: what
 * debug_lines_find() gave before is not valid any more. */
const struct debug_line *debug_lines_find_discriminated(struct debug_lines *lines, uint64_t vaddr,
							uint32_t *discriminator_ret);
/* The path of the file with this number in attributes and rows; NULL: no such file. */
const char *debug_lines_file(struct debug_lines *lines, uint64_t number);

#endif
