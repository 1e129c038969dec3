/*
 * The cost of one function's code by source line and by instruction. A function name may match
 * several compiled functions (in several modules, clones, static functions of one name), and each
 * may be inlined anywhere. Each compiled function is listed separately; all inlined copies in one
 * module are listed as one.
 *
 * Inclusive costs count a sample once for each line and instruction, however often that occurs on
 * the sample's path. The inclusive cost of a call instruction is the cost of the callee.
 */
#ifndef REPORT_ANNOTATE_ANNOTATE_H
#define REPORT_ANNOTATE_ANNOTATE_H

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

/* The source position of an instruction of a function. */
struct annotated_place {
	uint32_t path, line; /* in the function itself; ANNOTATE_NONE and 0: not known */
	const char *inlined; /* the function that was inlined there; NULL: its own code */
	uint32_t inlined_path, inlined_line;
};

/*
 * All functions that match @wanted best (report/names/function_query.h); there may be none.
 * 0 or -ENOMEM.
 */
int annotation_create(const struct profile *profile, struct symbolizer *symbolizer,
		      const char *wanted, uint32_t sort_metric, struct annotation **annotation_ret);
void annotation_destroy(struct annotation *annotation);

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
const char *annotation_path(const struct annotation *annotation, uint32_t path);
/* The slot of the instruction at @vaddr, or ANNOTATE_NONE if it has no cost. */
uint32_t annotation_slot_at(const struct annotation *annotation,
			    const struct annotated_function *function, uint64_t vaddr);
/*
 * Finds the source position of the instruction at @vaddr. *@belongs_ret is false if the instruction
 * does not belong to @function. 0 or -ENOMEM.
 */
int annotation_place(struct annotation *annotation, const struct annotated_function *function,
		     const struct annotated_code *code, uint64_t vaddr, bool *belongs_ret,
		     struct annotated_place *place_ret);
/* Writes the symbol at @vaddr: "foo", "foo+0x12", or "" if there is none. 0 or -ENOMEM. */
int annotation_symbol(struct annotation *annotation, const struct annotated_code *code,
		      uint64_t vaddr, char *buffer, size_t size);

#endif
