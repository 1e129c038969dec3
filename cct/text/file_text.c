#include "cct/text/file_text.h"

#include <errno.h>
#include <unistd.h>

#include "cct/base/array.h"

#define READ_SIZE ((size_t)64 << 10)

int file_text_reserve(struct file_text *text, size_t size)
{
	if (size > FILE_TEXT_MAX - text->size)
		return -EFBIG;
	return array_reserve(text->bytes, text->size, text->n_allocated, size);
}

int file_text_read(struct file_text *text, int fd)
{
	text->size = 0;
	for (;;) {
		int err = file_text_reserve(text, READ_SIZE + 1);
		if (err)
			return err;
		size_t room = text->n_allocated - text->size - 1;
		ssize_t n = pread(fd, text->bytes + text->size, room, (off_t)text->size);
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		text->size += (size_t)n;
	}
	text->bytes[text->size] = '\0';
	return 0;
}
