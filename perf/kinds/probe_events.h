/*
 * Probes as tracepoints of their own, which tracefs makes (uprobe_events) and new threads and
 * children inherit. What the uprobe PMU makes they can't: for each child the kernel would read the
 * path anew, at attr.config1, in the memory of the process that forks (perf_uprobe_init() in
 * kernel/trace/trace_event_perf.c), and the fork fails.
 */
#ifndef PERF_KINDS_PROBE_EVENTS_H
#define PERF_KINDS_PROBE_EVENTS_H

#include <stddef.h>

#include "perf/events/event.h"

/*
 * Makes the probes among the events tracepoints: the type, config and tracepoint of each. They are
 * all kept as they are if one fails. -errno: this can't be had here.
 */
int probe_events_add(struct event *events, size_t n_events);
/* Takes them away again, once all counters are closed; those of recorders that were killed, too. */
void probe_events_remove(const struct event *events, size_t n_events);

#endif
