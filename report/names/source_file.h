/*
 * Source files as they are now on this machine. Their names come from debug information and may
 * lead anywhere, so only regular files of a bounded size are read.
 */
#ifndef REPORT_NAMES_SOURCE_FILE_H
#define REPORT_NAMES_SOURCE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define SOURCE_FILE_MAX_SIZE (64u << 20)
#define SOURCE_LINE_MAX_SIZE 4096 /* longer lines are cut; tabs are expanded first */

struct source_file {
	const char *problem; /* why there is no text; static; NULL: the text was read */
	struct timespec modified;
	char *text;
	uint32_t n_lines;
	uint32_t *starts; /* offsets of lines: n_lines + 1, the last one is the end */
};

/* Reads a file. 0 or -ENOMEM; all other errors are reported in file->problem. */
int source_file_read(struct source_file *file, const char *path);
void source_file_free(struct source_file *file);
/*
 * Copies line @number, counted from 1, without its line end. Tabs are expanded, zero bytes become
 * blanks, and the line is cut at SOURCE_LINE_MAX_SIZE. Empty if the file has no such line.
 */
void source_file_line(const struct source_file *file, uint32_t number,
		      char line[SOURCE_LINE_MAX_SIZE]);

/* A cache of source files by path. Each is read once. */
struct source_files;

/*
 * @moved: @n_moved pairs of folders, "FROM=TO"; files whose path begins with FROM are read below
 * TO. Borrowed.
 */
struct source_files *source_files_create(const char *const *moved, size_t n_moved);
void source_files_destroy(struct source_files *files);
/*
 * The file at @path, which is borrowed as long as @files lives. NULL: out of memory. Valid as long
 * as @files.
 */
const struct source_file *source_files_get(struct source_files *files, const char *path);

#endif
