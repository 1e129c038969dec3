/* The file a short name stands for: of the shared library the loader takes, or of a program. */
#ifndef PERF_KINDS_PROGRAM_PATH_H
#define PERF_KINDS_PROGRAM_PATH_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "libc" is the libc.so.6 of /etc/ld.so.cache for this machine, "sort" a program of PATH; a name
 * with '/' is a path. -errno, -ENOENT: neither, -EEXIST: libraries of several versions have that
 * name, of which path_ret holds one.
 */
int program_path_find(const char *name, char path_ret[PATH_MAX]);

/* As the first, by the bytes of such a cache. */
int program_path_in_cache(const uint8_t *cache, size_t size, const char *name,
			  char path_ret[PATH_MAX]);

#endif
