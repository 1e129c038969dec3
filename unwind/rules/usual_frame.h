/*
 * rule_apply() for the most common frames: CFA = register + n, the whole frame is within the
 * sample's copy, every saved register is known. The processor cannot predict the contents of rules,
 * so no branch depends on them. A 64-bit architecture makes a function of this for its registers.
 */
#ifndef UNWIND_RULES_USUAL_FRAME_H
#define UNWIND_RULES_USUAL_FRAME_H

#include "unwind/rules/rule.h"
#include "unwind/rules/stack_copy.h"

/* Whether frames with this rule may be usual ones. */
static inline bool usual_frame_rule(const struct rule *rule)
{
	bool loses_register = false;

	for (size_t i = 0; i < RULE_SLOTS; i++)
		loses_register |= rule->slots[i] == SLOT_UNDEFINED;
	return rule->kind == RULE_CFA_REGISTER && !loses_register;
}

/*
 * Turns @regs into the caller's but for the pc, as rule_apply() does where usual_frame_rule()
 * holds.
 *
 * @kept: the callee-saved registers without @ra, which is the last of rule_saved_regs().
 *
 * false: the frame is not a usual one, nothing was done.
 */
static inline __attribute__((always_inline)) bool
usual_frame_apply(const struct rule *rule, const struct stack_copy *stack, struct regs *regs,
		  const uint8_t *kept, size_t n_kept, unsigned sp, unsigned ra)
{
	const int64_t word = 8;
	const uint64_t most_words = SLOT_UNDEFINED - 1;
	uint64_t known = 1ull << sp;
#pragma GCC unroll 12
	for (size_t i = 0; i < n_kept; i++)
		known |= 1ull << kept[i];

	uint64_t cfa = regs->values[rule->cfa_reg] + (uint64_t)rule->cfa_offset * word;
	uint64_t at = cfa - stack->start, size = cfa - regs->values[sp];
	/* Slots of 1 to @n_words are in the frame; SLOT_SAME and SLOT_UNDEFINED never are. */
	uint64_t n_words = size / word < most_words ? size / word : most_words;
	uint64_t ra_slot = rule->slots[n_kept];
	if ((known | 1ull << rule->cfa_reg) & ~regs->valid || at > stack->size || size > at ||
	    (uint8_t)(ra_slot - 1) >= n_words)
		return false;

	const uint8_t *last = stack->bytes + at - word; /* slot 1 */
#pragma GCC unroll 12
	for (size_t i = 0; i < n_kept; i++) {
		uint64_t slot = rule->slots[i], *value = &regs->values[kept[i]], saved;
		/* All bits or none. Compilers turn other forms into a branch. */
		uint64_t is_saved = -(uint64_t)((uint8_t)(slot - 1) < n_words);

		memcpy(&saved, last + (int64_t)((1 - slot) & is_saved) * word, sizeof(saved));
		*value ^= (*value ^ saved) & is_saved;
	}
	memcpy(&regs->values[ra], last - (ra_slot - 1) * word, word);
	regs->values[sp] = cfa;
	regs->valid = known | 1ull << ra;
	return true;
}

#endif
