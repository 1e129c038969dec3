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

#include "report/annotate/annotation.h"
#include "report/annotate/hottest_function.h"

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
/* Likewise those with the highest self cost of the metric. */
int annotation_create_hottest(const struct profile *profile, struct symbolizer *symbolizer,
			      uint32_t sort_metric, const struct hottest_limits *limits,
			      struct annotation **annotation_ret);
void annotation_destroy(struct annotation *annotation);

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
