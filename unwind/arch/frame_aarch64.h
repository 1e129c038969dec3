/*
 * Prologues and epilogues of arm64 code, where CFI is not to be trusted: up to version 14, clang
 * (and so Rust) describes a frame as it is after the whole prologue, and until the function ends.
 */
#ifndef UNWIND_ARCH_FRAME_AARCH64_H
#define UNWIND_ARCH_FRAME_AARCH64_H

#include "unwind/rules/rule.h"

/* The rule at @code + @at if nothing but the rest of an epilogue stands before the return. */
bool frame_aarch64_epilogue(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret);
/* Corrects a rule that says that nothing has been pushed yet at @code + @at, where something has.
 */
void frame_aarch64_prologue(const uint8_t *code, size_t size, size_t at, struct rule *rule);

#endif
