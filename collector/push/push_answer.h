/* What a server's answer to a request means for the request. */
#ifndef COLLECTOR_PUSH_PUSH_ANSWER_H
#define COLLECTOR_PUSH_PUSH_ANSWER_H

#include <stddef.h>
#include <stdint.h>

enum push_verdict {
	PUSH_TAKEN,   /* it may be forgotten */
	PUSH_LATER,   /* the server can't take anything now: again later */
	PUSH_FAILED,  /* the server failed, perhaps at this one: again later */
	PUSH_REFUSED, /* the server will never take this one, but may take others */
	PUSH_STOP,    /* the server will take none until somebody changes something */
};

/* Texts are borrowed, and may be anything. */
struct push_answer {
	long status;        /* of HTTP */
	const char *type;   /* NULL: none was named */
	const char *target; /* of a redirection; NULL: none */
	const char *body;   /* its begin */
	size_t size;
};

/*
 * *@words_ret: why, as part of a sentence without a full stop, with what the server says as a
 * terminal may show it, on the heap; NULL: nothing is to be said, or no memory. *@n_rejected_ret:
 * profiles of a request that was taken that the server has not taken.
 */
enum push_verdict push_answer_judge(const struct push_answer *answer, const char *request_type,
				    char **words_ret, uint64_t *n_rejected_ret);

#endif
