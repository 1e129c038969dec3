#include "perf/events/event_list.h"

#include <stdlib.h>

#include "cct/base/array.h"

struct event *event_list_add(struct event_list *list)
{
	if (array_reserve_one(list->events, list->n_events))
		return NULL;
	struct event *event = &list->events[list->n_events++];
	*event = (struct event){ .name = NULL };
	return event;
}

void event_list_cut(struct event_list *list, size_t n_events)
{
	while (list->n_events > n_events)
		event_deinit(&list->events[--list->n_events]);
}

enum event_error event_fail(enum event_error error, char **error_ret, char *text)
{
	*error_ret = text;
	return text ? error : EVENT_NO_MEMORY;
}
