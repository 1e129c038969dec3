/* Unwind rules and registers in words, for people who look at one frame. */
#ifndef COLLECTOR_DEBUG_UNWIND_RULE_TEXT_H
#define COLLECTOR_DEBUG_UNWIND_RULE_TEXT_H

#include <stdio.h>

#include "unwind/rules/rule.h"

/* "rsp", or "r40" where the architecture has no name for it. Valid until the next call. */
const char *reg_text(const struct arch *arch, unsigned reg);

/*
 * The rule on one line, without its end: "CFA = rsp + 32; rbx at CFA-24; ra at CFA-8". Registers
 * that it leaves alone are not named. Expressions are lists of DWARF operations in braces.
 */
void rule_print(FILE *out, const struct rule *rule, const struct arch *arch);
/* The kind of rule in a few words: "register", "memory", "expression", "signal frame", ... */
const char *rule_kind_text(const struct rule *rule);

#endif
