/* What annotation_create() (report/annotate/annotate.h) makes: functions, their lines and
 * instructions, and the costs of these. */
#ifndef REPORT_ANNOTATE_ANNOTATION_H
#define REPORT_ANNOTATE_ANNOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/model/profile.h"
#include "report/names/symbolize.h"

/* Bytes of one function that are decoded at most; compiled functions are far smaller. */
#define ANNOTATE_MAX_CODE (1u << 20)
#define ANNOTATE_NONE     UINT32_MAX

/* Lines, parts, instructions and functions each have a slot of costs. */
struct annotated_line {
	uint32_t function; /* index */
	uint32_t path;     /* annotation_path(); ANNOTATE_NONE: no line is known */
	uint32_t line;
	uint32_t slot;
};
/* Code of another function that was inlined into a line. Its cost is included in the line's. */
struct annotated_part {
	uint32_t function;
	uint32_t line_slot;  /* of the line */
	const char *inlined; /* the function whose code it is */
	uint32_t path, line; /* the source line of its code; ANNOTATE_NONE and 0: not known */
	uint32_t slot;
};
/*
 * An instruction with cost, by the address of its first byte. If the function's code is not
 * available, the sampled address itself.
 */
struct annotated_address {
	uint32_t function;
	uint32_t code; /* index */
	uint64_t vaddr;
	uint32_t slot;
};

/* A compiled function. Its instructions may belong to several source functions, by inlining. */
struct annotated_code {
	struct frame frame; /* any frame in it */
	const char *name;
	uint64_t start;       /* virtual address */
	uint64_t size;        /* according to the file; 0: not known */
	const uint8_t *bytes; /* NULL: not available; @problem is the reason */
	size_t n_bytes; /* less than @size if the file has fewer, or the function is too long */
	const char *problem;
	uint16_t machine; /* of @bytes: EM_* */
	uint32_t *starts; /* where instructions begin, relative to @start */
	uint32_t n_starts;
};

struct annotated_function {
	uint32_t id; /* the symbolizer's function number */
	uint32_t
		index; /* by which the lists below refer to it; not the index in the sorted array */
	const char *name, *module, *module_path;
	bool is_inlined; /* all inlined copies */
	bool is_kernel;
	uint32_t slot;
	uint32_t code; /* the first of them: an inlined function may have several */
	/* Its range in each list of the annotation. */
	uint32_t first_line, n_lines, first_part, n_parts, first_address, n_addresses;
};

struct annotation {
	const struct profile *profile;
	struct symbolizer *symbolizer;
	uint32_t n_metrics, sort_metric;
	struct annotated_function *functions; /* sorted by self cost, then total, highest first */
	uint32_t n_functions;
	struct annotated_line *lines;        /* by file and line */
	struct annotated_part *parts;        /* by line, highest cost first */
	struct annotated_address *addresses; /* by address */
	struct annotated_code *codes;
	uint32_t n_lines, n_parts, n_addresses, n_codes;
	uint64_t *costs; /* by slot: self, total, self samples; each by metric */
	uint32_t n_slots;
	struct source_paths *paths;
	struct annotation_maps *maps;
};

static inline const uint64_t *annotation_self(const struct annotation *annotation, uint32_t slot)
{
	return annotation->costs + (size_t)slot * 3 * annotation->n_metrics;
}
static inline const uint64_t *annotation_total(const struct annotation *annotation, uint32_t slot)
{
	return annotation_self(annotation, slot) + annotation->n_metrics;
}
static inline const uint64_t *annotation_samples(const struct annotation *annotation, uint32_t slot)
{
	return annotation_total(annotation, slot) + annotation->n_metrics;
}

#endif
