#include "collector/push/request_body.h"

#include <errno.h>
#include <stdio_ext.h>

#include "report/pprof/gzip_file.h"

int request_body_open(struct request_body *body)
{
	*body = (struct request_body){ 0 };
	body->stream = open_memstream(&body->bytes, &body->size);
	if (!body->stream)
		return -ENOMEM;
	__fsetlocking(body->stream, FSETLOCKING_BYCALLER);
	return 0;
}

int request_body_close(struct request_body *body, int err)
{
	return fclose(body->stream) && !err ? -errno : err;
}

int request_body_compress(struct request_body *packed, const void *bytes, size_t size)
{
	int err = request_body_open(packed);

	if (err)
		return err;
	FILE *file = gzip_file_open(packed->stream);
	err = file ? 0 : -errno;
	if (file) {
		fwrite(bytes, 1, size, file);
		err = fclose(file) ? -errno : 0;
	}
	return request_body_close(packed, err);
}
