#include "collector/attached/attached_text.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

static int reserve(struct attached_text *text, size_t size)
{
	if (text->n_allocated - text->size >= size)
		return 0;
	size_t n = (text->size + size) * 2;
	if (n > ATTACHED_TEXT_MAX)
		return -EFBIG;
	char *bytes = realloc(text->bytes, n);
	if (!bytes)
		return -ENOMEM;
	text->bytes = bytes;
	text->n_allocated = n;
	return 0;
}

int attached_text_read(struct attached_text *text, int fd)
{
	off_t at = 0;

	for (;;) {
		int err = reserve(text, 1 << 20);
		if (err)
			return err;
		ssize_t n = pread(fd, text->bytes + text->size, text->n_allocated - text->size, at);
		if (n <= 0)
			return n < 0 ? -errno : 0;
		text->size += (size_t)n;
		at += n;
	}
}

static int decompress(struct attached_text *text, const struct attached_text *compressed)
{
	ZSTD_DCtx *stream = ZSTD_createDCtx();
	ZSTD_inBuffer in = { compressed->bytes, compressed->size, 0 };
	int err = stream ? 0 : -ENOMEM;

	while (!err && in.pos < in.size) {
		err = reserve(text, ZSTD_DStreamOutSize());
		if (err)
			break;
		ZSTD_outBuffer out = { text->bytes + text->size, text->n_allocated - text->size,
				       0 };
		size_t left = ZSTD_decompressStream(stream, &out, &in);
		text->size += out.pos;
		if (ZSTD_isError(left))
			err = -EINVAL;
	}
	ZSTD_freeDCtx(stream);
	return err;
}

int attached_text_decompress(struct attached_text *text, int fd)
{
	struct attached_text compressed = { 0 };
	int err = attached_text_read(&compressed, fd);

	if (!err)
		err = decompress(text, &compressed);
	free(compressed.bytes);
	return err;
}
