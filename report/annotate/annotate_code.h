/* The instructions of an annotated function, in order of their addresses. */
#ifndef REPORT_ANNOTATE_ANNOTATE_CODE_H
#define REPORT_ANNOTATE_ANNOTATE_CODE_H

#include "report/annotate/annotate.h"
#include "report/annotate/executed_code.h"

/* How many bytes of code, in all, are searched for instructions of a function that was inlined. */
#define ANNOTATE_MAX_INLINED_CODE (4u << 20)

struct annotated_instruction {
	uint32_t code;
	uint32_t slot; /* ANNOTATE_NONE: no cost */
	uint32_t size; /* 0: its bytes are not available */
	uint64_t vaddr;
	struct annotated_place place;
};

struct annotated_instructions {
	struct annotated_instruction *all;
	uint32_t n, n_allocated;
	uint32_t *by_line; /* their numbers by path and line, then by address */
	bool is_cut;       /* instructions without cost are missing, because the code is too long */
};

/*
 * Lists the instructions with cost (@only_costly), or all instructions of the function if its code
 * is available. 0 or -ENOMEM. The caller frees the list with annotated_instructions_free().
 */
int annotated_instructions_list(struct annotation *annotation,
				const struct annotated_function *function, bool only_costly,
				struct annotated_instructions *list_ret);
void annotated_instructions_free(struct annotated_instructions *list);
/* The numbers of the instructions of a source line. *@n_ret: how many there are. */
const uint32_t *annotated_instructions_of_line(const struct annotated_instructions *list,
					       uint32_t path, uint32_t line, uint32_t *n_ret);
/* The code that was inlined into a line. *@n_ret: how many parts there are; 0: NULL. */
const struct annotated_part *annotated_parts_of_line(const struct annotation *annotation,
						     const struct annotated_function *function,
						     const struct annotated_line *line,
						     uint32_t *n_ret);
/* How often an instruction was executed. */
struct executed_counts annotated_executed(const struct annotation *annotation,
					  const struct annotated_function *function,
					  const struct executed_code *executed,
					  const struct annotated_instruction *instruction);
/* How often one of the line's instructions was executed at most, and of all, how often they jumped
 * and were mispredicted. @list: all instructions of the function. */
struct executed_counts annotated_line_executed(const struct annotation *annotation,
					       const struct annotated_function *function,
					       const struct executed_code *executed,
					       const struct annotated_instructions *list,
					       uint32_t path, uint32_t line);
/* The bytes of an instruction; NULL: not available. */
const uint8_t *annotated_bytes(const struct annotation *annotation,
			       const struct annotated_instruction *instruction);

/*
 * Writes an instruction's text with the symbol of its target, at most @size bytes. @disassembler:
 * one for the architecture of the code. 0 or -ENOMEM.
 */
struct disassembler;
int annotated_text(struct annotation *annotation, struct disassembler *disassembler,
		   const struct annotated_instruction *instruction, char *buffer, size_t size);

#endif
