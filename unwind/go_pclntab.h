/*
 * Go's own unwind table, .gopclntab, which every Go program carries, stripped or not: functions,
 * their names, and the stack's depth at each instruction (Go 1.18 and later: src/runtime/symtab.go,
 * cmd/internal/objfile). Unlike Go's .debug_frame it also tells where a stack ends and where a
 * function goes on on another stack, by the functions that src/runtime/traceback.go knows as such.
 */
#ifndef UNWIND_GO_PCLNTAB_H
#define UNWIND_GO_PCLNTAB_H

#include <libelf.h>

#include "unwind/rule.h"

struct go_pclntab;

/* NULL: no Go program, or of a version whose table is not known. @elf must outlive the result. */
struct go_pclntab *go_pclntab_create(Elf *elf);
void go_pclntab_destroy(struct go_pclntab *table);

/*
 * The rule at @vaddr. @is_return: @vaddr is the last byte of a call that has not returned.
 * false: none of Go's functions, or nothing can be said; @rule_ret is unchanged then.
 */
bool go_pclntab_find_rule(const struct go_pclntab *table, const struct arch *arch, uint64_t vaddr,
			  bool is_return, struct rule *rule_ret);

/*
 * The bytes of the file that look-ups at @vaddr read. Returns how many ranges; 0: none of Go's
 * functions.
 */
#define GO_PCLNTAB_RANGES_MAX 80
struct go_pclntab_range {
	uint64_t offset, size;
};
size_t go_pclntab_ranges(const struct go_pclntab *table, uint64_t vaddr,
			 struct go_pclntab_range ranges[GO_PCLNTAB_RANGES_MAX]);

#endif
