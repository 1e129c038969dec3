/*
 * perf's generic names (tools/perf/Documentation/perf-list.txt): hardware, cache, software; and
 * rNNNN, the processor's own encoding in hexadecimal.
 */
#ifndef PERF_KINDS_EVENT_NAMES_H
#define PERF_KINDS_EVENT_NAMES_H

#include "perf/events/event_catalog.h"
#include "perf/events/event_kind.h"

extern const struct event_kind generic_event_kind, raw_event_kind;

/* Sets the type and number of the event with a generic name, of @length bytes. false: none. */
bool event_names_find_generic(const char *name, size_t length, struct perf_event_attr *attr);
/* Adds the generic names. 0 or -ENOMEM. */
int event_names_list(struct event_catalog *catalog);

#endif
