#include "collector/attached/attached_text.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
/* ZSTD_decompressBound(), which the library has had since 1.4.0. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "cct/system/huge_pages.h"

/*
 * Whole frames, as dendro writes one, at once: a stream is copied once more. A frame that was
 * written bit by bit does not know its size, but its number of blocks bounds it. -ENOENT: the last
 * one is cut, or they may be too large.
 */
static int decompress_whole(struct file_text *text, const ZSTD_inBuffer *compressed)
{
	const unsigned long long bound = ZSTD_decompressBound(compressed->src, compressed->size);
	const bool is_known = ZSTD_getFrameContentSize(compressed->src, compressed->size) !=
			      ZSTD_CONTENTSIZE_UNKNOWN;

	if (bound == ZSTD_CONTENTSIZE_ERROR || (bound >= FILE_TEXT_MAX && !is_known))
		return -ENOENT;
	int err = file_text_reserve(text, bound + 1);
	if (err)
		return err;
	huge_pages_allow(text->bytes + text->size, bound);
	const size_t size =
		ZSTD_decompress(text->bytes + text->size, bound, compressed->src, compressed->size);
	if (ZSTD_isError(size))
		return -EINVAL;
	text->size += size;
	return 0;
}

static int decompress_stream(struct file_text *text, const ZSTD_inBuffer *compressed)
{
	ZSTD_DCtx *stream = ZSTD_createDCtx();
	ZSTD_inBuffer in = *compressed;
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
	ZSTD_inBuffer compressed = { 0 };
	struct stat status;
	void *mapped = NULL;
	int err = fstat(fd, &status) ? -errno : 0;

	if (!err && status.st_size > FILE_TEXT_MAX)
		err = -EFBIG;
	if (!err && status.st_size)
		mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	if (mapped)
		compressed = (ZSTD_inBuffer){ mapped, (size_t)status.st_size, 0 };
	if (!err)
		err = decompress_whole(text, &compressed);
	if (err == -ENOENT)
		err = decompress_stream(text, &compressed);
	if (!err)
		err = file_text_reserve(text, 1);
	if (!err)
		text->bytes[text->size] = '\0';
	if (mapped)
		munmap(mapped, compressed.size);
	return err;
}
