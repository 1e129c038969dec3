/* Finds what the kernel is to fetch for the values and weights of probes, by debug information. */
#ifndef COLLECTOR_RECORD_PROBE_VALUES_H
#define COLLECTOR_RECORD_PROBE_VALUES_H

#include "collector/record/observing/recording_notes.h"
#include "perf/events/event.h"

/* Fills in the fetches of sites that have none yet. 0, or -errno, which the notes explain. */
int probe_values_find(struct event *events, size_t n_events, struct recording_notes *notes);

#endif
