/*
 * The formats of tracepoints in HEADER_TRACING_DATA, in the layout that
 * tools/perf/util/trace-event-info.c writes. Hostile: lengths are checked.
 */
#ifndef PERF_FILE_TRACING_FORMATS_H
#define PERF_FILE_TRACING_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "perf/tracing/trace_format.h"

struct tracing_formats {
	struct trace_format *formats;
	size_t n, n_allocated;
};

/* Parses the section; what is broken ends the list. @bytes must outlive @ret. 0 or -ENOMEM. */
int tracing_formats_init(struct tracing_formats *formats, const uint8_t *bytes, size_t size);
void tracing_formats_deinit(struct tracing_formats *formats);
/* NULL: the recording does not describe it. */
const struct trace_format *tracing_formats_find(const struct tracing_formats *formats, uint64_t id);

#endif
