/*
 * The ends of libgcc's _Unwind_RaiseException(), _Unwind_Resume(), _Unwind_ForcedUnwind() and
 * _Unwind_Resume_or_Rethrow(), where they leave for a landing pad. gcc 5 and later compile
 * uw_install_context() (libgcc/unwind.inc, unwind-dw2.c) to
 *
 *	call uw_install_context_1        copies the landing frame's registers over the saved ones
 *	mov S(%rbp),%rsi                 the landing pad, target.ra
 *	mov S-8(%rbp),%rdi               target.cfa
 *	...                              the result, a displacement of the stack pointer, in R
 *	mov R,%rcx
 *	mov %rsi,8(%rbp,R)
 *	lea 8(%rbp,%rcx),%rcx
 *	...                              the registers
 *	mov %rcx,%rsp; pop %rcx; jmp *%rcx
 *
 * The CFI describes the frame as it was before, up to the last three instructions.
 */
#ifndef UNWIND_ARCH_EH_RETURN_X86_64_H
#define UNWIND_ARCH_EH_RETURN_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct made_rule;
struct rule;

/* As arch->make_rule. */
struct made_rule *x86_64_make_rule(const uint8_t *code, size_t size, size_t at,
				   const struct rule *cfi);

#endif
