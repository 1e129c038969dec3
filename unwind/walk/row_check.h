/*
 * Compares a row of CFI with the instruction that it is for.
 *
 * Assembly may have one row for all of its code, though its prologues and epilogues move the stack
 * pointer: there the row is wrong. Such places show without any stack: the instruction moves the
 * stack pointer, and the row after it does not follow, or it returns, and the return address is not
 * on top of the stack by the row. Where the function's rows follow its stack down and up again, its
 * CFI was made with its code, as by a compiler, and need not be compared.
 */
#ifndef UNWIND_WALK_ROW_CHECK_H
#define UNWIND_WALK_ROW_CHECK_H

#include "unwind/modules/elf_module.h"
#include "unwind/rules/rule.h"

enum row_check {
	ROW_NOT_CHECKED, /* yet */
	ROW_IS_TRUSTED,  /* its function's rows follow the stack */
	ROW_AGREES,      /* or it cannot be told: only rows that count from the stack pointer can be
			    compared */
	ROW_IS_DOUBTFUL, /* a return may be a jump to an address that was pushed */
	ROW_IS_WRONG,    /* or the next one is */
};

/* Compares @rule, by the CFI for @offset, with the instruction there. */
enum row_check row_check(struct elf_module *module, const struct arch *arch, uint64_t offset,
			 const struct rule *rule);

#endif
