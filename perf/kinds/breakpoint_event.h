/*
 * "mem:ADDRESS[/LENGTH][:ACCESS]", as perf spells it: accesses to an address, by the processor's
 * debug registers. ACCESS: of r, w, x; "rw" if it is not said. LENGTH: 1, 2, 4 (the default) or 8.
 */
#ifndef PERF_KINDS_BREAKPOINT_EVENT_H
#define PERF_KINDS_BREAKPOINT_EVENT_H

#include "perf/events/event_kind.h"

extern const struct event_kind breakpoint_event_kind;

#endif
