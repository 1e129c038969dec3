/*
 * Parses the text of -e into events. A list has events and groups of them, {a,b}:MODIFIERS; an
 * event is NAME[:MODIFIERS][@RATE], and event_parse.c has the table of the kinds of names.
 */
#ifndef PERF_CATALOG_EVENT_PARSE_H
#define PERF_CATALOG_EVENT_PARSE_H

#include "perf/events/event.h"

/*
 * Appends the events of a comma-separated list. On failure *@error_ret is a sentence for the user
 * naming the part that failed, with near names (heap, to free).
 */
enum event_error event_parse(const char *list, struct event **events, size_t *n_events,
			     char **error_ret);
enum event_error event_parse_at(const struct event_places *places, const char *list,
				struct event **events, size_t *n_events, char **error_ret);
/* cycles where a PMU exists (probed by opening one), else cpu-clock; *is_fallback_ret says which.
 */
enum event_error event_default(struct event **events, size_t *n_events, bool *is_fallback_ret);

#endif
