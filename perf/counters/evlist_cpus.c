/* Chooses the CPUs on which the events of a recording are opened, and the rings that their counters
 * share. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf/counters/evlist_private.h"

bool evlist_has_cpu(const int *cpus, size_t n_cpus, int cpu)
{
	for (size_t i = 0; i < n_cpus; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

bool evlist_is_absent(const struct evlist_impl *impl, int cpu)
{
	return evlist_has_cpu(impl->absent_cpus, impl->n_absent_cpus, cpu);
}

static bool counts_on(const struct event *event, int cpu)
{
	return !event->cpus || evlist_has_cpu(event->cpus, event->n_cpus, cpu);
}

static bool counts_on_any(const struct event *event, const int *cpus, size_t n_cpus)
{
	for (size_t i = 0; i < n_cpus; i++)
		if (counts_on(event, cpus[i]))
			return true;
	return false;
}

static bool has_name(const struct event *events, size_t n_events, const char *name)
{
	for (size_t e = 0; e < n_events; e++)
		if (strcmp(events[e].name, name) == 0)
			return true;
	return false;
}

const char *evlist_find_missing(const struct event *events, size_t n_events,
				const struct event *chosen, size_t n_chosen)
{
	for (size_t e = 0; e < n_events; e++)
		if (!has_name(chosen, n_chosen, events[e].name))
			return events[e].name;
	return NULL;
}

int evlist_choose_events(const struct evlist_options *options, const struct event *events,
			 size_t n_events, struct event **chosen_ret, size_t *n_chosen_ret)
{
	struct event *chosen = calloc(n_events, sizeof(*chosen));
	size_t *places = calloc(n_events, sizeof(*places)); /* new index of each leader */
	size_t n_chosen = 0;
	if (!chosen || !places) {
		free(chosen);
		free(places);
		return -ENOMEM;
	}
	for (size_t e = 0; e < n_events; e++) {
		if (!counts_on_any(&events[e], options->cpus, options->n_cpus))
			continue;
		places[e] = n_chosen;
		chosen[n_chosen] = events[e];
		chosen[n_chosen].leader = places[events[e].leader];
		n_chosen++;
	}
	free(places);
	*chosen_ret = chosen;
	*n_chosen_ret = n_chosen;
	return 0;
}

static void add_counted(struct evlist_impl *impl, const int *cpus, size_t n_cpus,
			const struct event *events, size_t n_events)
{
	for (size_t i = 0; i < n_cpus; i++) {
		for (size_t e = 0; e < n_events; e++) {
			if (!counts_on(&events[e], cpus[i]))
				continue;
			impl->cpus[impl->n_cpus++] = cpus[i];
			break;
		}
	}
}

int evlist_choose_cpus(struct evlist_impl *impl, const struct evlist_options *options,
		       const struct event *events, size_t n_events)
{
	impl->cpus = calloc(options->n_cpus + options->n_absent_cpus, sizeof(*impl->cpus));
	if (!impl->cpus)
		return -ENOMEM;
	add_counted(impl, options->cpus, options->n_cpus, events, n_events);
	add_counted(impl, options->absent_cpus, options->n_absent_cpus, events, n_events);
	return 0;
}

static int choose_sideband_rings(struct evlist_impl *impl)
{
	struct evlist_event *sideband = &impl->evlist.events[impl->evlist.n_events];
	sideband->rings = calloc(impl->n_sideband_cpus, sizeof(*sideband->rings));
	if (!sideband->rings)
		return -ENOMEM;
	for (size_t i = 0; i < impl->n_sideband_cpus; i++)
		sideband->rings[sideband->n_rings++] = i;
	return 0;
}

int evlist_choose_rings(struct evlist_impl *impl, const struct event *events)
{
	struct evlist *evlist = &impl->evlist;
	impl->ring_owners = calloc(impl->n_cpus, sizeof(*impl->ring_owners));
	if (!impl->ring_owners)
		return -ENOMEM;
	/* From the last event to the first, so that the first event that has a counter on a CPU
	 * owns its ring. */
	for (size_t e = evlist->n_events; e-- > 0;) {
		struct evlist_event *event = &evlist->events[e];
		event->rings = calloc(impl->n_cpus, sizeof(*event->rings));
		if (!event->rings)
			return -ENOMEM;
		for (size_t ring = 0; ring < impl->n_cpus; ring++) {
			if (!counts_on(&events[e], impl->cpus[ring]))
				continue;
			impl->ring_owners[ring] = (struct ring_owner){ e, event->n_rings };
			event->rings[event->n_rings++] = ring;
		}
	}
	return choose_sideband_rings(impl);
}

int evlist_sample_fd(const struct evlist_impl *impl, size_t task, size_t ring)
{
	const struct ring_owner *owner = &impl->ring_owners[ring];
	const struct evlist_event *event = &impl->evlist.events[owner->event];
	return event->fds[task * event->n_rings + owner->place];
}
