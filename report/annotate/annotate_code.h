/* The instructions of an annotated function, in order of their addresses. */
#ifndef REPORT_ANNOTATE_ANNOTATE_CODE_H
#define REPORT_ANNOTATE_ANNOTATE_CODE_H

#include "report/annotate/annotate.h"

/* Code of functions that others are inlined into is looked through up to here, in all. */
#define ANNOTATE_MAX_INLINED_CODE (4u << 20)

struct annotated_instruction {
	uint32_t code;
	uint32_t slot; /* ANNOTATE_NONE: no cost */
	uint32_t size; /* 0: its bytes are not there */
	uint64_t vaddr;
	struct annotated_place place;
};

struct annotated_instructions {
	struct annotated_instruction *all;
	uint32_t n, n_allocated;
	bool is_cut; /* some without cost are missing: the code is too long */
};

/*
 * @only_costly: those with cost; else all of the function, where its code is. 0 or -ENOMEM. To be
 * freed by annotated_instructions_free().
 */
int annotated_instructions_list(struct annotation *annotation,
				const struct annotated_function *function, bool only_costly,
				struct annotated_instructions *list_ret);
void annotated_instructions_free(struct annotated_instructions *list);
/* The bytes of an instruction; NULL: they are not there. */
const uint8_t *annotated_bytes(const struct annotation *annotation,
			       const struct annotated_instruction *instruction);

/*
 * An instruction's text, with the names of what it leads to, at most @size bytes. @disassembler:
 * for the file that the code is in. 0 or -ENOMEM.
 */
struct disassembler;
int annotated_text(struct annotation *annotation, struct disassembler *disassembler,
		   const struct annotated_instruction *instruction, char *buffer, size_t size);

#endif
