/*
 * What perf's readers need to know of a recording's tracepoints (HEADER_TRACING_DATA): tracefs' own
 * descriptions, in the layout that tools/perf/util/trace-event-info.c writes.
 */
#ifndef PERF_WRITER_TRACING_DATA_H
#define PERF_WRITER_TRACING_DATA_H

#include "perf/events/event.h"
#include "perf/file/feature_bytes.h"

#define HEADER_TRACING_DATA 1 /* tools/perf/util/header.h */

/* Leaves @bytes empty where no event is a tracepoint. -errno of reading tracefs, or -ENOMEM. */
int tracing_data_make(const struct event *events, size_t n_events, struct feature_bytes *bytes);

#endif
