/*
 * Gives each source file one spelling and one number. In debug information a file may have many
 * spellings (folder of the compilation, relative name, "." and ".." in between). Symbolic links are
 * not resolved, because the files need not exist on this machine.
 */
#ifndef REPORT_NAMES_SOURCE_PATHS_H
#define REPORT_NAMES_SOURCE_PATHS_H

#include <stddef.h>
#include <stdint.h>

struct source_paths;

struct source_paths *source_paths_create(void);
void source_paths_destroy(struct source_paths *paths);
/*
 * Finds or adds the number of a file. @directory: the folder of a relative @file; NULL: not known.
 * Both strings must live and stay unchanged as long as @paths, because they are recognized by their
 * addresses. 0 or -ENOMEM.
 */
int source_paths_intern(struct source_paths *paths, const char *directory, const char *file,
			uint32_t *id_ret);
/* The spelling of a file. Valid as long as @paths. */
const char *source_paths_get(const struct source_paths *paths, uint32_t id);
/*
 * The longest end of @path that begins with a folder and has at most @max_size bytes: @path itself
 * if it fits, the file's name if even that is longer.
 */
const char *source_path_tail(const char *path, size_t max_size);

#endif
