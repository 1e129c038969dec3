/*
 * Source files as they are here and now. Names of them come from debug information and may lead
 * anywhere: nothing is opened but regular files, of a bounded size.
 */
#ifndef REPORT_NAMES_SOURCE_FILE_H
#define REPORT_NAMES_SOURCE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define SOURCE_FILE_MAX_SIZE (64u << 20)
#define SOURCE_LINE_MAX_SIZE 4096 /* what is shown of a line; tabs are blanks there */

struct source_file {
	const char *problem; /* why there is no text; static. NULL: there is */
	struct timespec modified;
	char *text;
	uint32_t n_lines;
	uint32_t *starts; /* n_lines + 1, the last one is the end */
};

/* 0 or -ENOMEM; everything else that goes wrong is file->problem. */
int source_file_read(struct source_file *file, const char *path);
void source_file_free(struct source_file *file);
/*
 * Line @number, counted from 1, without its end: tabs expanded, bytes of 0 blanked, cut at
 * SOURCE_LINE_MAX_SIZE. Empty where the file has no such line.
 */
void source_file_line(const struct source_file *file, uint32_t number,
		      char line[SOURCE_LINE_MAX_SIZE]);

/* Source files by path, each read once. */
struct source_files;

/* @n_moved pairs of folders, "FROM=TO": paths that begin with FROM are looked for below TO.
 * Borrowed.
 */
struct source_files *source_files_create(const char *const *moved, size_t n_moved);
void source_files_destroy(struct source_files *files);
/* Valid as long as @files. NULL: no memory. @path is borrowed: it must stay as long as @files. */
const struct source_file *source_files_get(struct source_files *files, const char *path);

#endif
