/*
 * The ends of libgcc's _Unwind_RaiseException(), _Unwind_Resume(), _Unwind_ForcedUnwind() and
 * _Unwind_Resume_or_Rethrow(), where they leave for a landing pad. gcc 12 compiles
 * uw_install_context() (libgcc/unwind.inc, unwind-dw2.c) for i386 to
 *
 *	call uw_install_context_1        copies the landing frame's registers over the saved ones
 *	mov S(%ebp),R                    the landing pad, target.ra
 *	...
 *	push S-4(%ebp)                   target.cfa, for _Unwind_DebugHook()
 *	...
 *	lea 4(%ebp,%ecx,1),%ecx
 *	...                              the registers
 *	mov %ecx,%esp; pop %ecx; jmp *%ecx
 *
 * The CFI describes the frame as it was before, up to the last three instructions. Which registers
 * hold the landing pad and the displacement of the stack pointer differs from one to the other.
 */
#ifndef UNWIND_ARCH_EH_RETURN_I386_H
#define UNWIND_ARCH_EH_RETURN_I386_H

#include <stddef.h>
#include <stdint.h>

struct made_rule;
struct rule;

/* As arch->correct_rule: from the return of uw_install_context_1() to the last three instructions
 * no caller can be told. */
void i386_correct_rule(const uint8_t *code, size_t size, size_t at, struct rule *rule);

/* As arch->make_rule: within uw_install_context_1(), and in the last three instructions. */
struct made_rule *i386_make_rule(const uint8_t *code, size_t size, size_t at,
				 const struct rule *cfi);

#endif
