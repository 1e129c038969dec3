/*
 * The caller of a frame of code made at run time (V8's, HotSpot's), which is in no file: neither
 * its CFI nor its bytes are at hand, only that its functions keep a frame pointer, but for their
 * first and last instructions. Those show on the stack: there, the return address is on top, or
 * the frame pointer just pushed is. A return address on top may also be a stale word of a frame
 * that is set up; then nothing is guessed.
 */
#ifndef UNWIND_WALK_GUESS_ANONYMOUS_H
#define UNWIND_WALK_GUESS_ANONYMOUS_H

#include "unwind/rules/rule.h"
#include "unwind/walk/process_code.h"

/*
 * Whether the frame's function may not have set its frame pointer up, though it has called another
 * one: V8's baseline code calls for that. Then the top of the stack is its return address.
 */
bool guess_anonymous_lacks_frame(const struct process_code *process, const struct stack_copy *stack,
				 const struct regs *regs);

/* As guess_caller() of unwind/walk/guess.h. */
bool guess_anonymous_caller(const struct process_code *process, const struct stack_copy *stack,
			    struct regs *regs, bool *is_exact);

#endif
