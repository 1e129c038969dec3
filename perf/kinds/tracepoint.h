/*
 * Tracepoints: "SYSTEM:NAME", with "/weight=FIELD,unit=bytes/" for samples that weigh the value of
 * an integer field of the tracepoint's data.
 */
#ifndef PERF_KINDS_TRACEPOINT_H
#define PERF_KINDS_TRACEPOINT_H

#include "perf/events/event_catalog.h"
#include "perf/events/event_kind.h"

/* For a name that no other kind knows: reports that tracefs, which might know it, cannot be read.
 */
extern const struct event_kind tracepoint_event_kind, hidden_tracepoint_event_kind;

/* The tracepoint's id, for attr.config. -ENOENT: tracefs is not mounted, or has no such tracepoint.
 */
int tracepoint_id(const char *system, const char *name, uint64_t *id_ret);
/*
 * Fills @event's type, config, tracepoint, weight, unit and default_period. EVENT_UNKNOWN without a
 * sentence: it is apparently not the name of a tracepoint.
 */
enum event_error tracepoint_find(const char *name, struct event *event, char **error_ret);
/* EVENT_UNKNOWN without a sentence: it is not the name of a tracepoint, or tracefs can be read. */
enum event_error tracepoint_explain(const char *name, char **error_ret);

/*
 * The position of @field in the raw data, by a tracepoint's format file. -ENOENT: no such field;
 * -EINVAL: the field is not an integer of 1, 2, 4 or 8 bytes, or the text is malformed.
 */
int tracepoint_field(const char *format, size_t size, const char *field,
		     struct event_weight *weight_ret);
/* Likewise of a string of any length: the position of the 4 bytes that say where in the raw data it
 * is (in the low 16 bits) and how long. -EINVAL: it is another kind of field. */
int tracepoint_string(const char *format, size_t size, const char *field, uint16_t *offset_ret);
/* The tracepoint's integer fields in order: "common_type, nr, ret". Heap; NULL: memory is
 * exhausted, or the format is malformed. */
char *tracepoint_field_names(const char *format, size_t size);

/* Adds all tracepoints if tracefs can be read. Their descriptions list their fields; on request the
 * fields are added as parts. 0 or -ENOMEM. */
int tracepoint_list(struct event_catalog *catalog, bool with_parts);

#endif
