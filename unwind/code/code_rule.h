/*
 * The caller's registers in terms of the registers at an instruction, found by following the code
 * (unwind/code/code_scan.h). Like a row of CFI, a rule is valid for every frame at that
 * instruction.
 */
#ifndef UNWIND_CODE_CODE_RULE_H
#define UNWIND_CODE_CODE_RULE_H

#include "unwind/rules/regs.h"
#include "unwind/rules/stack_copy.h"

#define CODE_RULE_REGS 12

enum place_kind {
	PLACE_LOST,
	PLACE_VALUE,  /* @reg + @offset */
	PLACE_MEMORY, /* the word at @reg + @offset, plus @addend */
	/* While code is followed; never in a rule: */
	PLACE_CODE,  /* the address of the code at offset @offset */
	PLACE_ENTRY, /* that, plus a word of the table whose address is that of offset @addend */
};

/* A value in terms of the registers at an instruction. */
struct place {
	uint8_t kind; /* enum place_kind */
	uint8_t reg;  /* DWARF number */
	int32_t offset, addend;
};

/* The caller's registers. */
struct code_rule {
	struct place sp;          /* lost: the function drops an unknown number of arguments */
	struct place return_slot; /* address of the return address's word; lost: in a register */
	struct place saved[CODE_RULE_REGS]; /* one per rule_saved_regs(), lowest first */
	bool is_doubtful;
};

/* The caller's stack pointer alone. */
bool code_rule_sp(const struct code_rule *rule, const struct arch *arch,
		  const struct stack_copy *stack, const struct regs *regs, uint64_t *sp_ret);
/* The place of the return address by the rule. false: it is not in a word of memory, or unknown. */
bool code_rule_return_slot(const struct code_rule *rule, const struct arch *arch,
			   const struct stack_copy *stack, const struct regs *regs,
			   uint64_t *slot_ret);

/*
 * Arguments and result as for rule_apply(); on failure @regs are unchanged. If the caller's stack
 * pointer is lost, it is marked as not valid, and its value is the lowest possible one.
 */
bool code_rule_apply(const struct code_rule *rule, const struct arch *arch,
		     const struct stack_copy *stack, struct regs *regs, bool is_exact,
		     enum unwind_end *end_ret);

#endif
