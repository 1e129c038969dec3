/*
 * The format of a tracepoint's data, as the kernel describes it in a text (tracefs,
 * events/SYSTEM/NAME/format) that recordings contain: the fields, and a statement that prints them.
 * Texts and data are hostile: every position is checked.
 */
#ifndef PERF_TRACING_TRACE_FORMAT_H
#define PERF_TRACING_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_FIELDS_MAX 128

struct trace_field {
	const char *name; /* borrowed from the text; no NUL */
	size_t name_size;
	uint32_t offset, size;
	uint32_t n_elements; /* of an array; 0: no array */
	bool is_signed;
	bool is_string;   /* an array of characters */
	bool is_data_loc; /* a word with the position and size of the data: __data_loc */
	bool is_rel_loc;  /* the position is relative to the word's end: __rel_loc */
};

struct trace_format {
	uint64_t id; /* attr.config */
	struct trace_field fields[TRACE_FIELDS_MAX];
	size_t n_fields, n_common; /* the first ones are the same for all tracepoints */
	const char *print;         /* what follows "print fmt: "; borrowed; no NUL */
	size_t print_size;
};

/* Parses the text, which must outlive @ret. false: it has no number, or no fields. */
bool trace_format_parse(const char *text, size_t size, struct trace_format *ret);
/* The only field with that name, or NULL. */
const struct trace_field *trace_format_find(const struct trace_format *format, const char *name,
					    size_t name_size);

/* An integer of the field, sign extended; @index: of an array. false: it is not in the data. */
bool trace_field_number(const struct trace_field *field, const uint8_t *raw, size_t size,
			uint64_t index, uint64_t *ret);
/* The bytes of an array, wherever they are. false: they are not in the data. */
bool trace_field_bytes(const struct trace_field *field, const uint8_t *raw, size_t size,
		       const uint8_t **bytes_ret, size_t *n_ret);

#endif
