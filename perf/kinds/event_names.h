/*
 * perf's generic names (tools/perf/Documentation/perf-list.txt): hardware, cache, software; and
 * rNNNN, the processor's own encoding in hexadecimal.
 */
#ifndef PERF_KINDS_EVENT_NAMES_H
#define PERF_KINDS_EVENT_NAMES_H

#include "perf/events/event_catalog.h"
#include "perf/events/event_kind.h"

extern const struct event_kind generic_event_kind, raw_event_kind;

/* Adds the generic names. 0 or -ENOMEM. */
int event_names_list(struct event_catalog *catalog);

#endif
