/*
 * Names of source files as debug information has them (folder of the compilation, relative name,
 * "." and ".." in between) -> one spelling and one number for each. Symbolic links are not looked
 * at: the files need not be here.
 */
#ifndef REPORT_NAMES_SOURCE_PATHS_H
#define REPORT_NAMES_SOURCE_PATHS_H

#include <stddef.h>
#include <stdint.h>

struct source_paths;

struct source_paths *source_paths_create(void);
void source_paths_destroy(struct source_paths *paths);
/*
 * @directory: that a relative @file is relative to; NULL: not known. Both must stay as they are
 * while @paths lives: they are known by address when they come again. 0 or -ENOMEM.
 */
int source_paths_intern(struct source_paths *paths, const char *directory, const char *file,
			uint32_t *id_ret);
/* Valid as long as @paths. */
const char *source_paths_get(const struct source_paths *paths, uint32_t id);
/*
 * The end of @path from the folder on that makes it at most @max_size bytes long; the name alone if
 * that is longer. @path itself if it fits.
 */
const char *source_path_tail(const char *path, size_t max_size);

#endif
