/* Instructions that x86-64 and i386 encode in the same way. */
#ifndef UNWIND_ARCH_REGS_X86_H
#define UNWIND_ARCH_REGS_X86_H

#include "unwind/rules/regs.h"

/* Whether there is a conditional jump at @code + @at, to @code + *@target_ret, that is taken if the
 * last result was zero. A jump that is taken if the result was negative may precede it. @at is at
 * most @size. */
bool x86_jumps_if_zero(const uint8_t *code, size_t size, size_t at, int64_t *target_ret);
/* Both architectures' @ends_in_call. */
bool x86_ends_in_call(const uint8_t *code, size_t size, int64_t *distance_ret);

#endif
