/*
 * The descriptions of a recording's tracepoints that perf's readers need (HEADER_TRACING_DATA):
 * copies of tracefs' files, in the layout that tools/perf/util/trace-event-info.c writes.
 */
#ifndef PERF_WRITER_TRACING_DATA_H
#define PERF_WRITER_TRACING_DATA_H

#include "perf/events/event.h"
#include "perf/file/feature_bytes.h"

#define HEADER_TRACING_DATA 1 /* tools/perf/util/header.h */

/* Leaves @bytes empty if no event is a tracepoint. Returns -errno if tracefs cannot be read, or
 * -ENOMEM. */
int tracing_data_make(const struct event *events, size_t n_events, struct feature_bytes *bytes);

#endif
