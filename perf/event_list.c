#include <stdlib.h>
#include <string.h>

#include "perf/event_kind.h"

struct event *event_list_add(struct event_list *list)
{
	struct event *grown = reallocarray(list->events, list->n_events + 1, sizeof(*list->events));
	if (!grown)
		return NULL;
	list->events = grown;
	struct event *event = &grown[list->n_events++];
	*event = (struct event){ .name = NULL };
	return event;
}

static void event_deinit(struct event *event)
{
	free(event->name);
	free(event->filter);
	free(event->tracepoint);
	free(event->probed_path);
	free(event->cpus);
}

void event_list_cut(struct event_list *list, size_t n_events)
{
	while (list->n_events > n_events)
		event_deinit(&list->events[--list->n_events]);
}

/* Replaces the strings of a copied struct by copies. false: no memory; what is there is owned. */
static bool own_strings(struct event *event)
{
	char **strings[] = { &event->name, &event->filter, &event->tracepoint,
			     &event->probed_path };
	bool has_all = true;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if (!*strings[i])
			continue;
		*strings[i] = strdup(*strings[i]);
		has_all &= *strings[i] != NULL;
	}
	if (event->probed_path)
		event->attr.config1 = (uintptr_t)event->probed_path;
	return has_all;
}

bool event_copy(struct event *copy, const struct event *event)
{
	*copy = *event;
	copy->cpus = NULL;
	bool has_strings = own_strings(copy);
	return has_strings && (!event->cpus || event_set_cpus(copy, event->cpus, event->n_cpus));
}

bool event_set_cpus(struct event *event, const int *cpus, size_t n_cpus)
{
	int *copy = reallocarray(NULL, n_cpus ? n_cpus : 1, sizeof(*copy));
	if (!copy)
		return false;
	if (n_cpus)
		memcpy(copy, cpus, n_cpus * sizeof(*copy));
	free(event->cpus);
	event->cpus = copy;
	event->n_cpus = n_cpus;
	return true;
}

enum event_error event_fail(enum event_error error, char **error_ret, char *text)
{
	*error_ret = text;
	return text ? error : EVENT_NO_MEMORY;
}

void events_destroy(struct event *events, size_t n_events)
{
	struct event_list list = { events, n_events };
	event_list_cut(&list, 0);
	free(events);
}
