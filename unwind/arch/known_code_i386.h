/*
 * 32-bit code that shows more about its callers than CFI: thunks of position-independent code, and
 * the code with which glibc switches from one stack to another.
 */
#ifndef UNWIND_ARCH_KNOWN_CODE_I386_H
#define UNWIND_ARCH_KNOWN_CODE_I386_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rule;

/* As arch->rule_by_code. */
bool i386_rule_by_code(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret);

#endif
