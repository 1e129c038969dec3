/*
 * Instructions that show more about their callers than CFI: signal trampolines, which have no CFI
 * in musl, and the two functions with which C libraries switch from one stack to another.
 */
#ifndef UNWIND_ARCH_KNOWN_CODE_X86_64_H
#define UNWIND_ARCH_KNOWN_CODE_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rule;

/* As arch->rule_by_code. */
bool x86_64_rule_by_code(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret);
/* As arch->correct_rule: in SBCL's functions that call Lisp. */
void x86_64_correct_rule(const uint8_t *code, size_t size, size_t at, struct rule *rule);

#endif
