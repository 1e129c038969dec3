/* Rules for functions of libgcc that leave for a landing pad, for both sizes of words. */
#ifndef UNWIND_ARCH_EH_RETURN_X86_H
#define UNWIND_ARCH_EH_RETURN_X86_H

#include <stddef.h>
#include <stdint.h>

struct made_rule;

/* What differs between the two sizes of words: DWARF's numbers of registers, and the sizes. */
struct eh_return_words {
	uint8_t sp, counter, ip; /* @counter: %ecx or %rcx holds the new stack pointer */
	uint8_t word;
	uint8_t pop;          /* the offset of `pop counter` from `mov counter,sp` */
	const uint8_t *saved; /* the registers that the function saves, and @ip */
	size_t n_saved;
};

/*
 * The rule at the last three instructions, `mov counter,sp; pop counter; jmp *counter`: all other
 * registers are loaded. @at: the offset from the first of them.
 */
void x86_make_leaving(struct made_rule *made, const struct eh_return_words *words, size_t at);

void x86_push_sum(struct made_rule *made, uint8_t reg, int64_t value);
void x86_push_op(struct made_rule *made, uint8_t atom, int64_t value);
/* @reg is saved at the address that what was pushed since @from calculates. */
void x86_save_at(struct made_rule *made, unsigned reg, size_t from);

/*
 * The caller's @reg is @slot bytes from register @fp, unless uw_install_context_1() has copied the
 * landing frame's over it: then the expression drops what it does not have, and fails. The word
 * @landing bytes from @fp points to where the landing frame's is saved. Nothing has been copied if
 * both are saved in one place, or differ.
 */
void x86_save_if_kept(struct made_rule *made, unsigned reg, uint8_t fp, int64_t slot,
		      int64_t landing);

#endif
