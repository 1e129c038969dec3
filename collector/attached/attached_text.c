#include "collector/attached/attached_text.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "cct/base/huge_pages.h"

/* One frame that knows its size, as dendro writes them: at once. -ENOENT: it is not. */
static int decompress_whole(struct file_text *text, const struct file_text *compressed)
{
	unsigned long long size = ZSTD_getFrameContentSize(compressed->bytes, compressed->size);

	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
	    ZSTD_findFrameCompressedSize(compressed->bytes, compressed->size) != compressed->size)
		return -ENOENT;
	int err = file_text_reserve(text, size + 1);
	if (err)
		return err;
	huge_pages_allow(text->bytes + text->size, size);
	if (ZSTD_isError(ZSTD_decompress(text->bytes + text->size, size, compressed->bytes,
					 compressed->size)))
		return -EINVAL;
	text->size += size;
	return 0;
}

static int decompress_stream(struct file_text *text, const struct file_text *compressed)
{
	ZSTD_DCtx *stream = ZSTD_createDCtx();
	ZSTD_inBuffer in = { compressed->bytes, compressed->size, 0 };
	int err = stream ? 0 : -ENOMEM;

	while (!err && in.pos < in.size) {
		err = file_text_reserve(text, ZSTD_DStreamOutSize());
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

int attached_text_decompress(struct file_text *text, int fd)
{
	struct file_text compressed = { 0 };
	int err = file_text_read(&compressed, fd);

	if (!err)
		err = decompress_whole(text, &compressed);
	if (err == -ENOENT)
		err = decompress_stream(text, &compressed);
	if (!err)
		err = file_text_reserve(text, 1);
	if (!err)
		text->bytes[text->size] = '\0';
	free(compressed.bytes);
	return err;
}
