#include "perf/events/event.h"

#include <stdlib.h>
#include <string.h>

void event_deinit(struct event *event)
{
	free(event->name);
	free(event->filter);
	free(event->tracepoint);
	free(event->probed_path);
	free(event->sites);
	free(event->weight_expression);
	free(event->value_expression);
	free(event->cpus);
}

void events_destroy(struct event *events, size_t n_events)
{
	for (size_t i = 0; i < n_events; i++)
		event_deinit(&events[i]);
	free(events);
}

/* Replaces the strings of a copied struct by copies. false: memory is exhausted; the strings that
 * are set are owned. */
static bool own_strings(struct event *event)
{
	char **strings[] = { &event->name,
			     &event->filter,
			     &event->tracepoint,
			     &event->probed_path,
			     &event->weight_expression,
			     &event->value_expression };
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

static bool own_sites(struct event *event, const struct event *from)
{
	event->sites = NULL;
	if (!from->n_sites)
		return true;
	event->sites = reallocarray(NULL, from->n_sites, sizeof(*from->sites));
	if (event->sites)
		memcpy(event->sites, from->sites, from->n_sites * sizeof(*from->sites));
	return event->sites;
}

bool event_copy(struct event *copy, const struct event *event)
{
	*copy = *event;
	copy->cpus = NULL;
	bool has_strings = own_strings(copy);
	bool has_sites = own_sites(copy, event);
	return has_strings && has_sites &&
	       (!event->cpus || event_set_cpus(copy, event->cpus, event->n_cpus));
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

const char *event_unit(const struct perf_event_attr *attr)
{
	bool is_clock =
		attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						     attr->config == PERF_COUNT_SW_TASK_CLOCK);
	return is_clock ? "ns" : "events";
}
