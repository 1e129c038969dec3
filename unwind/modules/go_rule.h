/*
 * Unwind rules of Go's functions by their own table. Unlike Go's .debug_frame it also tells where a
 * stack ends and where a function goes on on another stack, by the functions that
 * src/runtime/traceback.go knows as such.
 */
#ifndef UNWIND_MODULES_GO_RULE_H
#define UNWIND_MODULES_GO_RULE_H

#include "cct/object/go/go_pclntab.h"
#include "unwind/rules/rule.h"

/*
 * The rule at @vaddr, in programs of 64 bits by Go 1.18 and later. @is_return: @vaddr is the last
 * byte of a call that has not returned. false: none of Go's functions, or nothing can be said;
 * @rule_ret is unchanged then.
 */
bool go_rule_find(const struct go_pclntab *table, const struct arch *arch, uint64_t vaddr,
		  bool is_return, struct rule *rule_ret);

#endif
