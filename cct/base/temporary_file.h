/* Room for bytes of a recording that may be many, as a file without a name. */
#ifndef CCT_BASE_TEMPORARY_FILE_H
#define CCT_BASE_TEMPORARY_FILE_H

#include <stddef.h>

/* In TMPDIR or /tmp; in memory where that can't be written to. A file descriptor, or -1. */
int temporary_file_open(void);
/* All of it. 0 or -errno. */
int temporary_file_write(int fd, const void *bytes, size_t size);

#endif
