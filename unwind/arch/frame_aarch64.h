/*
 * Prologues and epilogues of arm64 code, in which CFI may be wrong: up to version 14, clang (and so
 * Rust) describes the frame after the whole prologue for all instructions up to the end of the
 * function.
 */
#ifndef UNWIND_ARCH_FRAME_AARCH64_H
#define UNWIND_ARCH_FRAME_AARCH64_H

#include "unwind/rules/rule.h"

/* The rule at @code + @at if only the rest of an epilogue precedes the return. */
bool frame_aarch64_epilogue(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret);
/* Corrects a rule by which nothing has been pushed yet at @code + @at, although something has. */
void frame_aarch64_prologue(const uint8_t *code, size_t size, size_t at, struct rule *rule);

#endif
