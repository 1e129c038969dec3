/*
 * Tracepoints: "SYSTEM:NAME", with "/weight=FIELD,unit=bytes/" for samples that stand for an
 * integer of the tracepoint's own data.
 */
#ifndef PERF_KINDS_TRACEPOINT_H
#define PERF_KINDS_TRACEPOINT_H

#include "perf/events/event_catalog.h"
#include "perf/events/event_kind.h"

/* For a name that nobody else knows: says so if tracefs, which might know it, can't be read. */
extern const struct event_kind tracepoint_event_kind, hidden_tracepoint_event_kind;

/* The number by which attrs name it. -ENOENT: tracefs is not mounted, or has no such tracepoint. */
int tracepoint_id(const char *system, const char *name, uint64_t *id_ret);
/*
 * Fills @event's type, config, tracepoint, weight, unit and default_period. EVENT_UNKNOWN without a
 * sentence: not a tracepoint's name, as far as can be told.
 */
enum event_error tracepoint_find(const char *name, struct event *event, char **error_ret);
/* EVENT_UNKNOWN without a sentence: it is no tracepoint's name, or tracefs can be read. */
enum event_error tracepoint_explain(const char *name, char **error_ret);

/*
 * Where @field stands in the raw data, by a tracepoint's format file. -ENOENT: no such field;
 * -EINVAL: it is no integer of 1, 2, 4 or 8 bytes, or the text is no format.
 */
int tracepoint_field(const char *format, size_t size, const char *field,
		     struct event_weight *weight_ret);
/* "common_type, nr, ret": its fields, integers first to last. Heap; NULL: no memory, no format. */
char *tracepoint_field_names(const char *format, size_t size);

/* All of them, if tracefs can be read; described by their fields, which are parts on request. 0 or
 * -ENOMEM. */
int tracepoint_list(struct event_catalog *catalog, bool with_parts);

#endif
