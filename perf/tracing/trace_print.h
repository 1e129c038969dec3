/*
 * Prints a tracepoint's data by the print statement of its format: a format string and its
 * arguments, which are C expressions of the record's fields with the kernel's helpers
 * (__print_flags(), __get_str(), ...). libtraceevent does the same, but trusts its input, which
 * here is a file of somebody else.
 */
#ifndef PERF_TRACING_TRACE_PRINT_H
#define PERF_TRACING_TRACE_PRINT_H

#include "perf/tracing/trace_format.h"

/* With its NUL. What does not fit is cut. */
#define TRACE_TEXT_MAX 8192

/*
 * The text is that of perf script. It is "field=value" for each field where the statement has
 * something unknown. Constants whose numbers only the kernel knows are 0, as in perf; names of
 * functions (%ps) are addresses. Returns the length of the text.
 */
size_t trace_print(const struct trace_format *format, const uint8_t *raw, size_t size,
		   char text[static TRACE_TEXT_MAX]);

#endif
