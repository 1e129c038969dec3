/* Names for resources that take several events to count: read-bytes, alloc-bytes, ... */
#ifndef PERF_KINDS_EVENT_SHORTHANDS_H
#define PERF_KINDS_EVENT_SHORTHANDS_H

#include "perf/events/event_kind.h"

extern const struct event_kind shorthand_event_kind;

/* The description of a shorthand's counts, for lists; NULL: no shorthand has that index. */
const char *event_shorthand_name(size_t index, const char **description_ret);

#endif
