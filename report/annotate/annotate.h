/*
 * What the code of one function costs: by source line and by instruction. A function that was asked
 * for may have been compiled several times (modules, clones, static ones of one name), and inlined
 * anywhere: each compiled one stands for itself, all inlined copies in a module are one.
 *
 * Costs that are inclusive count a sample once for each line and instruction, however often it is
 * on the sample's path. The cost of a call is that of what it called.
 */
#ifndef REPORT_ANNOTATE_ANNOTATE_H
#define REPORT_ANNOTATE_ANNOTATE_H

#include "cct/model/profile.h"
#include "report/names/symbolize.h"

/* Code beyond is not decoded; compilers make functions far below. */
#define ANNOTATE_MAX_CODE (1u << 20)
#define ANNOTATE_NONE     UINT32_MAX

/* Each has a slot of costs. */
struct annotated_line {
	uint32_t function; /* index */
	uint32_t path;     /* annotation_path(); ANNOTATE_NONE: no line is known */
	uint32_t line;
	uint32_t slot;
};
/* Code of another function that was inlined into a line; its cost is a part of that of the line. */
struct annotated_part {
	uint32_t function;
	uint32_t line_slot;  /* of the line */
	const char *inlined; /* the function whose code it is */
	uint32_t path, line; /* where that is written; ANNOTATE_NONE and 0: not known */
	uint32_t slot;
};
/* An instruction with cost: its first byte. Without the code, the address as it was sampled. */
struct annotated_address {
	uint32_t function;
	uint32_t code; /* index */
	uint64_t vaddr;
	uint32_t slot;
};

/* A compiled function, whose instructions may belong to several. */
struct annotated_code {
	struct frame frame; /* one of its own */
	const char *name;
	uint64_t start;       /* virtual address */
	uint64_t size;        /* as the file says; 0: not known */
	const uint8_t *bytes; /* NULL: they are not there, as @problem says */
	size_t n_bytes;       /* less than @size if there are not so many, or they are too many */
	const char *problem;
	uint16_t machine; /* of @bytes: EM_* */
	uint32_t *starts; /* of the instructions, from @start on */
	uint32_t n_starts;
};

struct annotated_function {
	uint32_t id;    /* the symbolizer's */
	uint32_t index; /* that lists know it by; not its place among the sorted ones */
	const char *name, *module, *module_path;
	bool is_inlined; /* all inlined copies */
	bool is_kernel;
	uint32_t slot;
	uint32_t code; /* the first; of an inlined function there may be more */
	/* Its part of each list below. */
	uint32_t first_line, n_lines, first_part, n_parts, first_address, n_addresses;
};

struct annotation {
	const struct profile *profile;
	struct symbolizer *symbolizer;
	uint32_t n_metrics, sort_metric;
	struct annotated_function *functions; /* most costly first: own cost, then inclusive */
	uint32_t n_functions;
	struct annotated_line *lines;        /* by file and line */
	struct annotated_part *parts;        /* by line, most costly first */
	struct annotated_address *addresses; /* by address */
	struct annotated_code *codes;
	uint32_t n_lines, n_parts, n_addresses, n_codes;
	uint64_t *costs; /* by slot: self, total, samples of self; each by metric */
	uint32_t n_slots;
	struct source_paths *paths;
	struct annotation_maps *maps;
};

/* Where an instruction of a function was written. */
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
/* The slot of the instruction at @vaddr, or ANNOTATE_NONE. */
uint32_t annotation_slot_at(const struct annotation *annotation,
			    const struct annotated_function *function, uint64_t vaddr);
/* False: the code at @vaddr is none of @function's. 0 or -ENOMEM. */
int annotation_place(struct annotation *annotation, const struct annotated_function *function,
		     const struct annotated_code *code, uint64_t vaddr, bool *belongs_ret,
		     struct annotated_place *place_ret);
/* "foo", "foo+0x12"; "" if no symbol is there. 0 or -ENOMEM. */
int annotation_symbol(struct annotation *annotation, const struct annotated_code *code,
		      uint64_t vaddr, char *buffer, size_t size);

#endif
