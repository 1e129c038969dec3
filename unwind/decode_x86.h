/*
 * x86 instructions: their sizes, and what they do to registers and the stack.
 *
 * Intel SDM volume 2: chapter 2 (prefixes, ModRM, VEX, EVEX) and appendix A (opcode maps). Code of
 * processes only: privileged instructions end the flow.
 */
#ifndef UNWIND_DECODE_X86_H
#define UNWIND_DECODE_X86_H

#include <stdbool.h>
#include <stddef.h>

#include "unwind/machine_instruction.h"

/* Both for struct arch's @decode. */
bool x86_64_decode(const uint8_t *code, size_t size, struct machine_instruction *ret);
bool i386_decode(const uint8_t *code, size_t size, struct machine_instruction *ret);
/* For both's @is_function_start. */
bool x86_is_function_start(const uint8_t *code, size_t size, uint64_t misalignment);
/* For both's @clears_frame_pointer. */
bool x86_clears_frame_pointer(const uint8_t *code, size_t size);
/* For both's @mark_function_starts. */
void x86_mark_function_starts(const uint8_t *code, size_t size, uint64_t *bits);
/* For x86-64's @find_main. */
bool x86_64_find_main(const uint8_t *entry, size_t size, uint64_t addr, uint64_t *main_ret);

#endif
