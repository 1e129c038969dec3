#include "report/pprof/gzip_stream.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>

#include "cct/base/stream.h"

#define LEVEL       5 /* of 9: smaller by a tenth than the fastest, and twice as fast as the default */
#define GZIP_WINDOW (15 + 16) /* the largest window, with a header and trailer of gzip */
#define MEMORY      8

int gzip_stream_init(struct gzip_stream *stream, FILE *out)
{
	stream->out = out;
	stream->zlib = (z_stream){ 0 };
	return deflateInit2(&stream->zlib, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY,
			    Z_DEFAULT_STRATEGY) == Z_OK
		       ? 0
		       : -ENOMEM;
}

/* Compresses the input; @flush: Z_NO_FLUSH or Z_FINISH. */
static int compress_input(struct gzip_stream *stream, int flush)
{
	do {
		stream->zlib.next_out = stream->chunk;
		stream->zlib.avail_out = sizeof(stream->chunk);
		deflate(&stream->zlib, flush);
		size_t size = sizeof(stream->chunk) - stream->zlib.avail_out;

		errno = 0;
		if (fwrite(stream->chunk, 1, size, stream->out) < size)
			return errno ? -errno : -EIO;
	} while (!stream->zlib.avail_out);
	return 0;
}

int gzip_stream_write(struct gzip_stream *stream, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	int err = 0;

	while (size && !err) {
		size_t now = size < UINT_MAX ? size : UINT_MAX;

		stream->zlib.next_in = (Bytef *)at;
		stream->zlib.avail_in = (uInt)now;
		err = compress_input(stream, Z_NO_FLUSH);
		at += now;
		size -= now;
	}
	return err;
}

int gzip_stream_finish(struct gzip_stream *stream)
{
	stream->zlib.avail_in = 0;
	int err = compress_input(stream, Z_FINISH);
	return err ? err : stream_finish(stream->out);
}

void gzip_stream_deinit(struct gzip_stream *stream)
{
	deflateEnd(&stream->zlib);
}
