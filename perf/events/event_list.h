/* A list of events that grows while names are looked up. */
#ifndef PERF_EVENTS_EVENT_LIST_H
#define PERF_EVENTS_EVENT_LIST_H

#include "perf/events/event.h"

struct event_list {
	struct event *events;
	size_t n_events;
};

/* A new event, all zero; NULL: no memory. Valid until the next is added. */
struct event *event_list_add(struct event_list *list);
/* Removes the events after the first @n_events. */
void event_list_cut(struct event_list *list, size_t n_events);
/* Takes over the sentence @text. EVENT_NO_MEMORY if it is NULL. */
enum event_error event_fail(enum event_error error, char **error_ret, char *text);

#endif
