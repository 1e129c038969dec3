/*
 * Guesses the caller of a frame of JIT code (of V8, HotSpot) without a file. Neither its CFI nor
 * its bytes are available. Its functions keep a frame pointer, except at their first and last
 * instructions. The stack shows when a frame is at these instructions: then the return address, or
 * the frame pointer that was just pushed, is on top. A return address on top may also be a stale
 * word of a complete frame; then nothing is guessed.
 */
#ifndef UNWIND_GUESS_GUESS_ANONYMOUS_H
#define UNWIND_GUESS_GUESS_ANONYMOUS_H

#include "unwind/guess/process_code.h"
#include "unwind/rules/rule.h"

/*
 * Whether the frame's function may have called another function before it has set up its frame
 * pointer, as V8's baseline code does. Then the top of the stack is its return address.
 */
bool guess_anonymous_lacks_frame(const struct process_code *process, const struct stack_copy *stack,
				 const struct regs *regs);

/* Like guess_caller() of unwind/guess/guess.h. */
bool guess_anonymous_caller(const struct process_code *process, const struct stack_copy *stack,
			    struct regs *regs, bool *is_exact);

#endif
