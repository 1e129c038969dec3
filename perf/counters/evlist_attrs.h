/* The attrs of a recording's events, made from the options and the events as they were parsed. */
#ifndef PERF_COUNTERS_EVLIST_ATTRS_H
#define PERF_COUNTERS_EVLIST_ATTRS_H

#include "perf/counters/evlist_private.h"

/* Fills impl->request: the fields that all attrs share. */
void evlist_init_request(struct evlist_impl *impl, const struct evlist_options *options,
			 const struct event *events);
/* Fills evlist->events except their counters. To be called after attr_probe(). 0 or -errno. */
int evlist_init_events(struct evlist_impl *impl, const struct evlist_options *options,
		       const struct event *events);
/* Adds the modifier u to the names of events that fell back to user mode. 0 or -ENOMEM. */
int evlist_rename_events(struct evlist *evlist, const struct event *events);

#endif
