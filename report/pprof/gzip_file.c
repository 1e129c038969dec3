#include "report/pprof/gzip_file.h"

#include <errno.h>
#include <stdlib.h>

#include "report/pprof/gzip_stream.h"

static ssize_t write_bytes(void *cookie, const char *bytes, size_t size)
{
	int err = gzip_stream_write(cookie, bytes, size);

	if (!err)
		return (ssize_t)size;
	errno = -err;
	return 0; /* of this function, 0 is an error */
}

static int finish(void *cookie)
{
	struct gzip_stream *stream = cookie;
	int err = gzip_stream_finish(stream);

	gzip_stream_deinit(stream);
	free(stream);
	errno = -err;
	return err ? EOF : 0;
}

FILE *gzip_file_open(FILE *out)
{
	struct gzip_stream *stream = malloc(sizeof(*stream));
	int err = stream ? gzip_stream_init(stream, out) : -ENOMEM;
	FILE *file = NULL;

	if (!err) {
		file = fopencookie(
			stream, "w",
			(cookie_io_functions_t){ .write = write_bytes, .close = finish });
		if (!file)
			gzip_stream_deinit(stream);
	} else {
		errno = -err;
	}
	if (!file)
		free(stream);
	return file;
}
