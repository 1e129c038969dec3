/*
 * A request to a server as a file: lines of a name and a value, an empty line, and the body.
 *
 *	dendro request 1
 *	url https://profiles.example/push.v1.PusherService/Push
 *	type application/proto
 *	id 4b1d34d6-6bd4-8c25-9f6e-0d6e4a3f2c11
 *
 * What is sent with every request, such as a token, is not in it.
 *
 * For databases there are more: "query" is sent in the URL. The answer of the query "complete" is
 * 0, or 1 if the server has all that the request is a part of, or 2 if it has some of that from
 * elsewhere; "ask" counts what it has of the request, which takes longer. "keys" is the number of
 * keys (collector/push/known_keys.h) that precede the body, for whoever sends it: they are known
 * once the server has taken it.
 */
#ifndef COLLECTOR_PUSH_SPOOL_REQUEST_H
#define COLLECTOR_PUSH_SPOOL_REQUEST_H

#include <stdint.h>
#include <stdio.h>

#include "cct/text/file_text.h"

#define REQUEST_GZIP "gzip"
#define REQUEST_ZSTD "zstd"

/* Texts without line ends. Of one that is read they point into its text. */
struct spool_request {
	const char *url, *type;
	const char *encoding;               /* of the body: one of these; NULL: none */
	const char *id;                     /* for messages and tests: equal for equal content */
	const char *query, *complete, *ask; /* NULL: none */
	const void *keys;                   /* 8 bytes each */
	size_t n_keys;
	const void *body;
	size_t size;
};

/* 0 or -errno. */
int spool_request_write(FILE *out, const struct spool_request *request);
/* Takes the text apart, which is changed. 0, or -EBADMSG: it is not a request. */
int spool_request_parse(struct file_text *text, struct spool_request *request_ret);

#endif
