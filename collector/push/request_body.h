/* Bytes in memory that a stream writes, to become the body of a request. */
#ifndef COLLECTOR_PUSH_REQUEST_BODY_H
#define COLLECTOR_PUSH_REQUEST_BODY_H

#include <stdbool.h>
#include <stdio.h>

struct request_body {
	char *bytes; /* the caller frees them, after request_body_close() */
	size_t size;
	FILE *stream;
};

/* 0 or -ENOMEM. */
int request_body_open(struct request_body *body);
/* @err: of what was written. @err, or -errno of the stream. */
int request_body_close(struct request_body *body, int err);
/* Makes a closed body of bytes, compressed as gzip. 0 or -errno; ->bytes may be there in any case.
 */
int request_body_compress(struct request_body *packed, const void *bytes, size_t size);
/* Likewise, as zstd, which databases take: rows that are alike become smaller by a tenth to a
 * third. @is_samples: they are samples, which each window has, so more time is spent on them. */
int request_body_pack(struct request_body *packed, const void *bytes, size_t size, bool is_samples);
/* Makes a body of gzip from one of zstd, for a server that does not know the latter. Likewise;
 * -EBADMSG: it is not one, or a large one. */
int request_body_repack(struct request_body *packed, const void *bytes, size_t size);

#endif
