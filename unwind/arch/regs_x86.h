/* What x86-64 and i386 encode alike. */
#ifndef UNWIND_ARCH_REGS_X86_H
#define UNWIND_ARCH_REGS_X86_H

#include "unwind/rules/regs.h"

/* Whether a conditional jump to @code + *@target_ret, taken where the last result was zero, is at
 * @code + @at, perhaps after one that is taken where it was negative. @at is at most @size. */
bool x86_jumps_if_zero(const uint8_t *code, size_t size, size_t at, int64_t *target_ret);
/* Both architectures' @ends_in_call. */
bool x86_ends_in_call(const uint8_t *code, size_t size, int64_t *distance_ret);

#endif
