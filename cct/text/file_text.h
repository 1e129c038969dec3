/*
 * The text of a file, whole in memory. One that is read again keeps its memory, for the files of
 * many processes. All zero is an empty text; whoever owns it calls free() with the bytes.
 */
#ifndef CCT_TEXT_FILE_TEXT_H
#define CCT_TEXT_FILE_TEXT_H

#include <stddef.h>

#define FILE_TEXT_MAX (256u << 20)

struct file_text {
	char *bytes;
	size_t size, n_allocated;
};

/* Room for @size more bytes. 0, -EFBIG beyond FILE_TEXT_MAX, or -ENOMEM. */
int file_text_reserve(struct file_text *text, size_t size);
/*
 * Replaces the text with all of @fd, from its start, and a NUL that is not part of the size. 0,
 * -EFBIG beyond FILE_TEXT_MAX, or -errno.
 */
int file_text_read(struct file_text *text, int fd);

#endif
