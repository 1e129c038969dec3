/*
 * The event "off-cpu": the tracepoint sched:sched_switch, of the thread that leaves the processor.
 * Its samples weigh the nanoseconds until the thread runs again, which PERF_RECORD_SWITCH tells
 * (attr.context_switch of the sideband event): the event of a thread is not there yet when it is
 * switched in.
 */
#ifndef PERF_KINDS_OFF_CPU_EVENT_H
#define PERF_KINDS_OFF_CPU_EVENT_H

#include "perf/events/event_kind.h"

/* What the user writes, and what the recording calls it. */
#define OFF_CPU_EVENT_NAME "off-cpu"

extern const struct event_kind off_cpu_event_kind;

/* Nothing was added that leaves switches out: no modifier, no filter. */
bool off_cpu_event_is_whole(const struct event *event);

#endif
