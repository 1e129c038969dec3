/* One request of HTTP at a time, over a connection that is kept between them. */
#ifndef COLLECTOR_SEND_TRANSFER_H
#define COLLECTOR_SEND_TRANSFER_H

#include <curl/curl.h>
#include <stdbool.h>

#include "collector/push/push_answer.h"
#include "collector/push/spool_request.h"

#define TRANSFER_BODY_MAX (64u << 10) /* of an answer; what follows is not kept */

/* Takes bytes of an answer; how many: fewer end the transfer. */
typedef size_t (*transfer_taker)(const char *bytes, size_t size, void *data);

/* Borrowed; NULL: none. */
struct transfer_options {
	const char *user, *token, *ca_file, *tenant;
};

struct transfer {
	CURL *curl;
	const struct transfer_options *options;
	struct curl_slist *headers; /* of all requests */
	bool has_tokens; /* the database takes tokens, by which it knows what it has inserted */
	bool takes_zstd; /* it takes bodies of zstd; gzip is what any server takes */
	char body[TRANSFER_BODY_MAX + 1]; /* with a NUL after the end */
	size_t size;
	char error[CURL_ERROR_SIZE];
	/* Gets the answer of a query, instead of ->body, if it is one of success and of that type;
	 * NULL: nobody. */
	transfer_taker take;
	void *take_data;
	const char *take_type;
};

/* Large: not to be copied. 0 or -ENOMEM; it may be deinitialized in any case. */
int transfer_init(struct transfer *transfer, const struct transfer_options *options);
void transfer_deinit(struct transfer *transfer);
/*
 * Sends a request, and waits for the answer. *@wait_s_ret: how long the server asks to wait; 0: it
 * does not. *@words_ret and *@n_rejected_ret as of push_answer_judge().
 */
enum push_verdict transfer_run(struct transfer *transfer, const struct spool_request *request,
			       uint64_t *wait_s_ret, char **words_ret, uint64_t *n_rejected_ret);
/*
 * Asks a database: @query is SQL. PUSH_TAKEN: ->body is the answer. @id: of the query, which the
 * database refuses while one with the same id is executed; NULL: none. @url: with the database, or
 * without. Otherwise as above.
 */
enum push_verdict transfer_ask(struct transfer *transfer, const char *url, const char *query,
			       const char *id, char **words_ret);

/*
 * Sends a query, and passes the answer on while it comes, if it has that type. NULL: it is whole;
 * else why it is not, as part of a sentence without a full stop, on the heap.
 */
char *transfer_fetch(struct transfer *transfer, const char *url, const struct file_text *query,
		     const char *type, transfer_taker take, void *take_data);

#endif
