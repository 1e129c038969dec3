#include "collector/attached/attached_text.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

static int decompress(struct file_text *text, const struct file_text *compressed)
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
		err = decompress(text, &compressed);
	free(compressed.bytes);
	return err;
}
