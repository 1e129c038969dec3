/* Finds the file for a short name: the shared library that the loader chooses, or a program. */
#ifndef PERF_KINDS_PROGRAM_PATH_H
#define PERF_KINDS_PROGRAM_PATH_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "libc" is the libc.so.6 of /etc/ld.so.cache for this machine, "sort" a program of PATH; a name
 * with '/' is a path. Returns -ENOENT if no library or program has the name, -EEXIST if libraries
 * of several versions have it (@path_ret is then one of them), or another -errno.
 */
int program_path_find(const char *name, char path_ret[PATH_MAX]);

/* Why not, with what to do; @path: as filled. Heap; NULL if memory is exhausted. */
char *program_path_explain(const char *name, int err, const char *path);

/* Looks a library up like program_path_find(), in the bytes of a cache file. */
int program_path_in_cache(const uint8_t *cache, size_t size, const char *name,
			  char path_ret[PATH_MAX]);

#endif
