/*
 * An unwind rule: how to get the caller's registers from a frame's, one row of CFI.
 *
 * Compilers' rows are nearly all of one form, which fits 16 bytes: CFA = register + n, or the
 * word at register + n, plus m; and registers saved in words below the CFA. Everything else
 * (expressions, signal frames) is a general rule, kept by its module.
 */
#ifndef UNWIND_RULES_RULE_H
#define UNWIND_RULES_RULE_H

#include <assert.h>

#include "unwind/rules/expression.h"

#define RULE_SLOTS 12

enum rule_kind {
	RULE_NONE,         /* no CFI for the address */
	RULE_BAD,          /* CFI that can't be read */
	RULE_UNREADABLE,   /* the file is missing or not the one recorded */
	RULE_ROOT,         /* outermost frame: it has no return address */
	RULE_CFA_REGISTER, /* CFA = register + offset */
	RULE_CFA_MEMORY,   /* CFA = *(register + offset) + addend */
	RULE_GENERAL,
	RULE_OTHER_STACK, /* its caller is on another stack, which it came from. If cfa_offset is
			     not 0: like CFA_REGISTER there, from the stack pointer that it saved:
			     in the register, or, if that is the stack pointer's, in memory */
};

/* Where a saved register lies: CFA - slot words, or one of these two. */
#define SLOT_SAME      0   /* not saved: the register still holds it */
#define SLOT_UNDEFINED 255 /* lost */

struct rule {
	union {
		struct {
			uint8_t kind : 3;    /* enum rule_kind */
			uint8_t cfa_reg : 5; /* DWARF number */
			int8_t cfa_addend;   /* words of the architecture's pointer size */
			int16_t cfa_offset;  /* words */
			/* One per register of rule_saved_regs(), lowest number first. */
			uint8_t slots[RULE_SLOTS];
		};
		struct {
			uint64_t general_kind; /* as above */
			/* Valid as long as the module. */
			const struct general_rule *general;
		};
	};
};
static_assert(sizeof(struct rule) == 16, "caches hold rules by the ten thousand");

enum saved_how {
	SAVED_UNDEFINED,
	SAVED_SAME,
	SAVED_AT,       /* the expression is the address of the saved value */
	SAVED_VALUE,    /* the expression is the value */
	SAVED_REGISTER, /* in register @reg */
};

struct general_rule {
	bool is_signal_frame;
	bool is_switch;  /* to another stack: its caller there may have called, or begins */
	bool is_landing; /* its caller continues at a landing pad, not after a call */
	struct expression cfa;
	struct {
		enum saved_how how;
		uint8_t reg;
		struct expression expression;
	} regs[REGS_MAX];
};

/* The saved registers that compact rules describe. */
static inline uint64_t rule_saved_regs(const struct arch *arch)
{
	return arch->callee_saved | 1ull << arch->ra;
}

/*
 * Turns a frame's @regs into its caller's. Only for rules that have a caller: RULE_CFA_REGISTER,
 * RULE_CFA_MEMORY, RULE_GENERAL.
 *
 * @is_exact: in: the frame's pc is the next instruction, not a return address (the sampled
 *            instruction, or one that a signal interrupted); out: the same for the caller's pc.
 *
 * false: there is no caller, *@end_ret is the reason; @regs are then undefined.
 */
bool rule_apply(const struct rule *rule, const struct arch *arch, const struct stack_copy *stack,
		struct regs *regs, bool *is_exact, enum unwind_end *end_ret);

/* The CFA of a frame with these registers. false: they do not lead to one, or the rule has none. */
bool rule_cfa(const struct rule *rule, const struct arch *arch, const struct stack_copy *stack,
	      const struct regs *regs, uint64_t *cfa_ret);

enum saved_where {
	SAVED_NOT_KNOWN,
	SAVED_IN_PLACE, /* the frame has left it as the caller had it */
	SAVED_IN_MEMORY,
};

/*
 * Where a frame with these @regs and this CFA has the caller's register @reg, one of
 * rule_saved_regs(). Only compact rules tell.
 */
enum saved_where rule_find_saved(const struct rule *rule, const struct arch *arch,
				 const struct regs *regs, uint64_t cfa, unsigned reg,
				 uint64_t *addr_ret);

#endif
