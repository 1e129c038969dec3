/*
 * The ends of libgcc's _Unwind_RaiseException(), _Unwind_Resume(), _Unwind_ForcedUnwind() and
 * _Unwind_Resume_or_Rethrow(), where they leave for a landing pad. gcc 12 compiles
 * uw_install_context() (libgcc/unwind.inc, unwind-dw2.c) to
 *
 *	bl uw_install_context_1          copies the landing frame's registers over the saved ones
 *	mov x4, x0                       a displacement of the stack pointer
 *	...
 *	str x1, [x29, #8]                the landing pad, over the return address
 *	b 1f                             to the function's only epilogue, where x4 is 0 otherwise
 *	1: ldp ..., [sp, #...]
 *	add sp, sp, #...
 *	add sp, sp, x4
 *	ret
 *
 * The CFI does not know of x4.
 */
#ifndef UNWIND_ARCH_EH_RETURN_AARCH64_H
#define UNWIND_ARCH_EH_RETURN_AARCH64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct made_rule;
struct rule;

/* From the call to the store: what CFI describes is overwritten, and the landing pad is not where
 * it says. @at may be the last byte of a call. */
bool aarch64_is_installing(const uint8_t *code, size_t size, size_t at);

/* As arch->make_rule: after the store. */
struct made_rule *aarch64_make_rule(const uint8_t *code, size_t size, size_t at,
				    const struct rule *cfi);

#endif
