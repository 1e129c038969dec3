/* Sentences for the user about why events could not be opened, with the remedy. */
#ifndef PERF_COUNTERS_EVLIST_ERRORS_H
#define PERF_COUNTERS_EVLIST_ERRORS_H

#include "perf/counters/evlist_private.h"

/* Takes over @text. Keeps only the first sentence that was given, because it names the cause.
 * Returns @err. */
int evlist_fail(struct evlist_impl *impl, int err, char *text);
/* perf_event_open() refused a counter of @event, or of the sideband if @event is NULL. */
int evlist_fail_open(struct evlist_impl *impl, int err, const struct evlist_event *event, pid_t pid,
		     int cpu);
/* Even the smallest rings could not be mapped. */
int evlist_fail_rings(struct evlist_impl *impl, int err);

#endif
