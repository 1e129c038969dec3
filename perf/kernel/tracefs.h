/* Where the kernel describes its tracepoints. */
#ifndef PERF_KERNEL_TRACEFS_H
#define PERF_KERNEL_TRACEFS_H

#include <limits.h>
#include <stddef.h>

/*
 * The folder, where it usually is, or where /proc/mounts says. -ENOENT: it is not mounted; -EACCES:
 * it is, but not for us.
 */
int tracefs_find(char path_ret[PATH_MAX]);
/* Why it can't be used (-errno of tracefs_find() or of reading there), and what to do about it.
 * Heap; NULL without memory. */
char *tracefs_explain(int err);
/* The text of a file of tracefs, NUL-terminated: heap, to free. -errno; -EFBIG: more than
 * TRACEFS_FILE_MAX. */
int tracefs_read(const char *path, char **text_ret, size_t *size_ret);

#define TRACEFS_FILE_MAX (1u << 20)

#endif
