/* Chooses the number of a recording's rings, and their sizes. */
#ifndef PERF_COUNTERS_EVLIST_RINGS_H
#define PERF_COUNTERS_EVLIST_RINGS_H

#include "perf/counters/evlist_private.h"

/* Chooses the CPUs of the sideband and allocates the rings of all CPUs. 0 or -errno. */
int evlist_init_rings(struct evlist_impl *impl, const struct event *events);
/* Fills impl->demand and impl->sizes, once the attrs are known. */
void evlist_choose_ring_sizes(struct evlist_impl *impl, const struct evlist_options *options);

#endif
