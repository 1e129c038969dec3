/*
 * x86 instructions: their sizes, and what they do to registers and the stack.
 *
 * Intel SDM volume 2: chapter 2 (prefixes, ModRM, VEX, EVEX) and appendix A (opcode maps). Code of
 * processes only: privileged instructions end the flow.
 */
#ifndef UNWIND_ARCH_DECODE_X86_H
#define UNWIND_ARCH_DECODE_X86_H

#include <stdbool.h>
#include <stddef.h>

#include "unwind/rules/machine_instruction.h"

/* Both for struct arch's @decode. */
bool x86_64_decode(const uint8_t *code, size_t size, struct machine_instruction *ret);
bool i386_decode(const uint8_t *code, size_t size, struct machine_instruction *ret);

#endif
