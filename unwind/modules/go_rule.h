/*
 * Unwind rules of Go's functions from Go's function table. Unlike Go's .debug_frame, it also shows
 * where a stack ends and where a function switches to another stack: at the functions that
 * src/runtime/traceback.go treats this way.
 */
#ifndef UNWIND_MODULES_GO_RULE_H
#define UNWIND_MODULES_GO_RULE_H

#include "cct/object/go/go_pclntab.h"
#include "unwind/rules/rule.h"

/*
 * The rule at @vaddr, in programs of 64 bits by Go 1.18 and later. @is_return: @vaddr is the last
 * byte of a call that has not returned. false: not a Go function, or its rule is unknown; @rule_ret
 * is then unchanged.
 */
bool go_rule_find(const struct go_pclntab *table, const struct arch *arch, uint64_t vaddr,
		  bool is_return, struct rule *rule_ret);

#endif
