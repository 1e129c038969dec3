/*
 * i386 machine code, followed from an instruction to its function's return: what becomes of the
 * stack pointer and of the registers that callees save. For leaves whose CFI is missing or wrong;
 * glibc's string functions in assembly push registers that their CFI does not mention.
 */
#ifndef UNWIND_CODE_I386_H
#define UNWIND_CODE_I386_H

#include "unwind/regs.h"
#include "unwind/stack_copy.h"

/*
 * Moves @regs, by DWARF number, to the caller of the function that stands at @code + @at; its pc is
 * the return address. Branches are tried one way, then the other: every way out of a function
 * leaves the same stack. Calls and whatever else can't be followed end it.
 *
 * @is_certain_ret: there was but one way.
 * false: no return found, @regs are undefined.
 */
bool code_i386_return(const uint8_t *code, size_t size, size_t at, const struct stack_copy *stack,
		      struct regs *regs, bool *is_certain_ret);

/* `mov (%esp),%reg; ret`, which gives its caller the pc and keeps all other registers. */
bool code_i386_is_pc_thunk(const uint8_t *code, size_t size);

#endif
