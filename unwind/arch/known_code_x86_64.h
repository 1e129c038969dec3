/*
 * Instructions that say more about their callers than CFI does: signal trampolines, which have none
 * in musl, and the two places where C libraries go from one stack to another.
 */
#ifndef UNWIND_ARCH_KNOWN_CODE_X86_64_H
#define UNWIND_ARCH_KNOWN_CODE_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rule;

/* As arch->rule_by_code. */
bool x86_64_rule_by_code(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret);

#endif
