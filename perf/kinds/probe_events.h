/*
 * Makes probes as separate tracepoints, through uprobe_events of tracefs, because new threads and
 * children can inherit these. They cannot inherit events of the uprobe PMU: for each child the
 * kernel reads the path at attr.config1 again, in the memory of the process that forks
 * (perf_uprobe_init() in kernel/trace/trace_event_perf.c), and the fork fails. Only tracepoints can
 * fetch values, and be at several places.
 */
#ifndef PERF_KINDS_PROBE_EVENTS_H
#define PERF_KINDS_PROBE_EVENTS_H

#include <stddef.h>

#include "perf/events/event.h"

/* The probe can only be a tracepoint. */
static inline bool probe_needs_tracefs(const struct event *event)
{
	return event->n_sites;
}

/*
 * Turns the probes among the events into tracepoints, or only those that can be nothing else: sets
 * the type, config and tracepoint of each, and where its samples have its weight and its value. If
 * one fails, all stay unchanged and -errno is returned.
 */
int probe_events_add(struct event *events, size_t n_events, bool only_needed);
/* Removes these tracepoints, and tracepoints of recorders that were killed. To be called after all
 * counters are closed. */
void probe_events_remove(const struct event *events, size_t n_events);

#endif
