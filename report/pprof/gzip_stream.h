/* A stream that is compressed as gzip (RFC 1952, by zlib) on its way to a file. */
#ifndef REPORT_PPROF_GZIP_STREAM_H
#define REPORT_PPROF_GZIP_STREAM_H

#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

/* Large: not to be copied. */
struct gzip_stream {
	FILE *out; /* borrowed */
	z_stream zlib;
	unsigned char chunk[64 << 10]; /* of compressed bytes */
};

/* 0 or -ENOMEM. */
int gzip_stream_init(struct gzip_stream *stream, FILE *out);
/* 0 or -errno of the file. */
int gzip_stream_write(struct gzip_stream *stream, const void *bytes, size_t size);
/* Writes what is left and the end. 0 or -errno of the file. */
int gzip_stream_finish(struct gzip_stream *stream);
/* Frees memory; called once after a successful gzip_stream_init(). */
void gzip_stream_deinit(struct gzip_stream *stream);

#endif
