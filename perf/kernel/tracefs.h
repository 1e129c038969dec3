/* Finds and reads tracefs, in which the kernel describes its tracepoints. */
#ifndef PERF_KERNEL_TRACEFS_H
#define PERF_KERNEL_TRACEFS_H

#include <limits.h>
#include <stddef.h>

/*
 * Finds tracefs in its usual place or by /proc/mounts. -ENOENT: it is not mounted; -EACCES: this
 * process may not read it.
 */
int tracefs_find(char path_ret[PATH_MAX]);
/* A sentence for the user: why tracefs cannot be used (@err is from tracefs_find() or from reading
 * there), and the remedy. Heap; NULL if memory is exhausted. */
char *tracefs_explain(int err);
/* The text of a file of tracefs, NUL-terminated: heap, to free. -errno; -EFBIG: more than
 * TRACEFS_FILE_MAX. */
int tracefs_read(const char *path, char **text_ret, size_t *size_ret);

#define TRACEFS_FILE_MAX (1u << 20)

#endif
