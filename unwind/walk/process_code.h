/*
 * The code of a process by its addresses: which file has it, its bytes before a return address, and
 * whether CFI describes it. What guesses are made of.
 */
#ifndef UNWIND_WALK_PROCESS_CODE_H
#define UNWIND_WALK_PROCESS_CODE_H

#include "unwind/modules/elf_modules.h"
#include "unwind/rules/address_space.h"
#include "unwind/rules/rule.h"

/* The longest form of a call that an architecture knows. */
#define CALL_SIZE_MAX 8

/* All borrowed. */
struct process_code {
	struct elf_modules *elf_modules;
	const struct address_space *space;
	const struct arch *arch;
};

/* The module whose code, or data, is at @addr, and the mapping that says so. NULL: none. */
struct elf_module *process_code_module(const struct process_code *code, uint64_t addr,
				       const struct mapping **mapping_ret);
/* Up to @size bytes that end at @addr. *@size_ret: how many. NULL: none. */
const uint8_t *process_code_before(const struct process_code *code, uint64_t addr, size_t size,
				   size_t *size_ret);
/* What CFI says at @addr; RULE_NONE: nothing. */
void process_code_rule(const struct process_code *code, uint64_t addr, struct rule *rule_ret);
bool process_code_has_cfi(const struct process_code *code, uint64_t addr);
/* Whether it was made at run time, so that no file has it, or is in a file that is not ELF. */
bool process_code_is_anonymous(const struct process_code *code, uint64_t addr);
/* The latter. */
bool process_code_is_other_file(const struct process_code *code, uint64_t addr);

#endif
