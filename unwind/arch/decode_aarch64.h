/*
 * arm64 instructions: what they do to registers and the stack.
 *
 * Arm Architecture Reference Manual for A-profile, section C4.1 (A64 instruction set encoding).
 */
#ifndef UNWIND_ARCH_DECODE_AARCH64_H
#define UNWIND_ARCH_DECODE_AARCH64_H

#include <stdbool.h>
#include <stddef.h>

#include "unwind/rules/machine_instruction.h"

/* For struct arch's hooks of these names. */
bool aarch64_decode(const uint8_t *code, size_t size, struct machine_instruction *ret);
bool aarch64_is_function_start(const uint8_t *code, size_t size, uint64_t misalignment);
void aarch64_mark_function_starts(const uint8_t *code, size_t size, uint64_t *bits);
bool aarch64_clears_frame_pointer(const uint8_t *code, size_t size);

#endif
