/* Reads the text of an attachment, which is compressed (zstd), or of a plain file. */
#ifndef COLLECTOR_ATTACHED_ATTACHED_TEXT_H
#define COLLECTOR_ATTACHED_ATTACHED_TEXT_H

#include <stddef.h>

#define ATTACHED_TEXT_MAX (512u << 20)

struct attached_text {
	char *bytes; /* no NUL at the end; to free */
	size_t size, n_allocated;
};

/* All of @fd, from its start. 0, -EFBIG beyond ATTACHED_TEXT_MAX, or -errno. */
int attached_text_read(struct attached_text *text, int fd);
/* The same, decompressed. -EINVAL: not zstd. */
int attached_text_decompress(struct attached_text *text, int fd);

#endif
