/*
 * The caller of a frame that no CFI describes, where it can be told with good reason.
 *
 * The frame's code is followed to where it returns (unwind/code/code_scan.h); that makes a rule,
 * kept for all who stand there. Where the rule leads must be right behind a call; and if the call
 * names the function it calls, that one's code, followed from its beginning, must lead to the frame
 * and agree about where the return address is. Code that never returns is followed from the
 * function's beginning only: by symbols, or by what a return address on the stack calls, if it lies
 * exactly where that function would have it. Code in memory that no file backs can't be followed:
 * it may keep a chain of frame pointers.
 *
 * Where no candidate passes, or two that differ, there is no guess: a missing caller is better than
 * an invented one.
 */
#ifndef UNWIND_WALK_GUESS_H
#define UNWIND_WALK_GUESS_H

#include "unwind/rules/rule.h"
#include "unwind/walk/process_code.h"

/* What one thread has learnt of code without CFI. */
struct guesser;

/* NULL: out of memory. */
struct guesser *guesser_create(void);
void guesser_destroy(struct guesser *guesser);

/* Whether CFI led to a return address. */
bool guess_is_return_address(const struct process_code *process, uint64_t addr);

/*
 * Moves @regs to the caller; arguments as for rule_apply(). false: no guess, @regs unchanged;
 * @end_ret says why, or that the frame is the outermost.
 */
bool guess_caller(struct guesser *guesser, const struct process_code *process,
		  const struct stack_copy *stack, struct regs *regs, bool *is_exact,
		  enum unwind_end *end_ret);

/* Whether the code before @addr ends in a call. */
bool guess_follows_call(const struct process_code *process, uint64_t addr);

/*
 * Whether the sampled registers are those of a new thread between clone's system call, before which
 * the C library's CFI ends, and the thread's first function, whose CFI says that it has no caller.
 * The instructions between must lead there.
 */
bool guess_thread_start(const struct process_code *process, const struct regs *regs);

#endif
