/*
 * Guesses the caller of JIT code that has no frame: an interpreter jumps to such code, and the code
 * runs in the interpreter's frame, with room for spilled values below it, as LuaJIT's traces do.
 *
 * The interpreter is assembly with one row of CFI for all of it. That row describes its frame once
 * it is set up, and not at the beginning of its functions, where a row of a compiler has the return
 * address on top of the stack. The first return address on the stack must follow a direct call of
 * code with such a row, and lie where the row has it, counted from a possible stack pointer of the
 * interpreter. Any other return address before it, which may be stale, or of a frame that is not
 * known, leaves no guess.
 */
#ifndef UNWIND_GUESS_GUESS_INTERPRETER_H
#define UNWIND_GUESS_GUESS_INTERPRETER_H

#include "unwind/guess/process_code.h"
#include "unwind/rules/rule.h"

/* Moves @regs, of a frame in anonymous code, to the interpreter's caller. false: no caller was
 * found, and @regs are unchanged. */
bool guess_interpreters_caller(const struct process_code *process, const struct stack_copy *stack,
			       struct regs *regs);

#endif
