/* How often instructions were executed, and branches mispredicted, in the branch stacks of a
 * recording: shown beside their costs. */
#ifndef REPORT_ANNOTATE_EXECUTED_CODE_H
#define REPORT_ANNOTATE_EXECUTED_CODE_H

#include <stddef.h>
#include <stdint.h>

struct executed_counts {
	uint64_t executed, taken, mispredicted;
};

struct executed_instruction {
	uint64_t vaddr;
	struct executed_counts counts;
};

/* A compiled function. */
struct executed_function {
	const char *module_path; /* borrowed */
	uint64_t start;          /* as struct annotated_code */
	size_t first, n;         /* of ->instructions */
};

struct executed_code {
	struct executed_function *functions;       /* by start */
	struct executed_instruction *instructions; /* of a function, by address */
	size_t n_functions, functions_allocated, n_instructions, instructions_allocated;
};

void executed_code_deinit(struct executed_code *code);
/* NULL: nothing of it was executed. */
const struct executed_function *executed_code_find(const struct executed_code *code,
						   const char *module_path, uint64_t start);
/* All 0: it was not executed. */
struct executed_counts executed_code_at(const struct executed_code *code,
					const struct executed_function *function, uint64_t vaddr);

#endif
