/*
 * The event "off-cpu": the tracepoint sched:sched_switch, of the thread that leaves the processor.
 * Its samples weigh the nanoseconds until the thread runs again. PERF_RECORD_SWITCH
 * (attr.context_switch of the sideband event) reports that moment, because the event of a thread is
 * not active yet when the thread is switched in.
 */
#ifndef PERF_KINDS_OFF_CPU_EVENT_H
#define PERF_KINDS_OFF_CPU_EVENT_H

#include "perf/events/event_kind.h"

/* The event's name after -e and in the recording. */
#define OFF_CPU_EVENT_NAME "off-cpu"

extern const struct event_kind off_cpu_event_kind;

/* Whether the event counts every switch: it has no modifier and no filter. */
bool off_cpu_event_is_whole(const struct event *event);

#endif
