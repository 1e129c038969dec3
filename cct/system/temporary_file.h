/* Files without a name, for parts of a recording that may be too large for memory. */
#ifndef CCT_SYSTEM_TEMPORARY_FILE_H
#define CCT_SYSTEM_TEMPORARY_FILE_H

#include <stddef.h>

/*
 * Creates a file in TMPDIR or /tmp, or in memory if that is not writable. Returns a file
 * descriptor, or -1.
 */
int temporary_file_open(void);
/* Creates one in memory, for what is small: a file on disk takes far longer to make, and to remove.
 * Likewise. */
int temporary_file_open_small(void);
/* Writes all @size bytes. 0 or -errno. */
int temporary_file_write(int fd, const void *bytes, size_t size);

#endif
