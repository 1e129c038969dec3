/* Reads the terms of an event, "period=1000,umask=0x41,inv", and knows the terms that every event
 * may have. */
#ifndef PERF_EVENTS_EVENT_TERMS_H
#define PERF_EVENTS_EVENT_TERMS_H

#include "perf/events/event_kind.h"

/* Borrows from the text. */
struct event_term {
	const char *key;
	size_t key_length;
	const char *value; /* NULL: no '=' */
	size_t value_length;
};

/* Reads the next term and advances *@text, which ends at @end. false: no more terms. */
bool event_terms_next(const char **text, const char *end, struct event_term *term);
bool event_term_is(const struct event_term *term, const char *key);
/* Reads a decimal number, or a hexadecimal one with 0x. false: not a number, or more than 64 bits.
 */
bool event_term_number(const struct event_term *term, uint64_t *number_ret);
/* Reads name=, period= and freq=. EVENT_UNKNOWN without a sentence: another term. */
enum event_error event_term_apply(const struct event_term *term, struct event *event,
				  char **error_ret);

#endif
