/*
 * The caller of a frame that no CFI describes, where it can be told with good reason.
 *
 * Two candidates: the frame is a leaf that has not touched the stack, or it keeps a frame pointer.
 * Both must lead to an address right after a call. A stale return address on the stack does that
 * too, and so does a frame pointer that is still the caller's; so the called function must be able
 * to lead to the frame, and the frame's own code must show that it has set up a frame pointer.
 * Where no candidate passes there is no guess: a missing caller is better than an invented one.
 */
#ifndef UNWIND_GUESS_H
#define UNWIND_GUESS_H

#include "unwind/address_space.h"
#include "unwind/elf_module.h"
#include "unwind/rule.h"

/*
 * For a leaf, where arch->follow_to_return is there to tell: whether its CFI led to a return
 * address, and where the code itself leads. Arguments as for guess_caller().
 */
bool guess_is_return_address(struct elf_modules *elf_modules, const struct address_space *space,
			     const struct arch *arch, uint64_t addr);
bool guess_by_code(struct elf_modules *elf_modules, const struct address_space *space,
		   const struct arch *arch, const struct stack_copy *stack, struct regs *regs);

/* Moves @regs to the caller; arguments as for rule_apply(). false: no guess, @regs unchanged. */
bool guess_caller(struct elf_modules *elf_modules, const struct address_space *space,
		  const struct arch *arch, const struct stack_copy *stack, struct regs *regs,
		  bool *is_exact);

/* Whether the code before @addr ends in a call. */
bool is_behind_call(struct elf_modules *elf_modules, const struct address_space *space,
		    const struct arch *arch, uint64_t addr);

/*
 * Whether the sampled registers are those of a new thread between clone's system call, before which
 * the C library's CFI ends, and the thread's first function, whose CFI says that it has no caller.
 * The instructions between must lead there.
 */
bool guess_thread_start(struct elf_modules *elf_modules, const struct address_space *space,
			const struct arch *arch, const struct regs *regs);

#endif
