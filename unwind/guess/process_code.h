/*
 * The code of a process by its addresses: which file has it, its bytes before a return address, and
 * whether CFI describes it. Guesses of callers use this.
 */
#ifndef UNWIND_GUESS_PROCESS_CODE_H
#define UNWIND_GUESS_PROCESS_CODE_H

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

/* The module whose code or data is at @addr, and its mapping. NULL: no module is mapped there. */
struct elf_module *process_code_module(const struct process_code *code, uint64_t addr,
				       const struct mapping **mapping_ret);
/* The bytes before @addr, at most @size; *@size_ret: how many. NULL: they are not known. */
const uint8_t *process_code_before(const struct process_code *code, uint64_t addr, size_t size,
				   size_t *size_ret);
/* The rule by the CFI for @addr; RULE_NONE: no CFI. */
void process_code_rule(const struct process_code *code, uint64_t addr, struct rule *rule_ret);
bool process_code_has_cfi(const struct process_code *code, uint64_t addr);
/* Whether the code at @addr is not in an ELF file: it was made at run time, or its file is of
 * another format. */
bool process_code_is_anonymous(const struct process_code *code, uint64_t addr);
/* Whether the code at @addr is in a file of another format than ELF. */
bool process_code_is_other_file(const struct process_code *code, uint64_t addr);

#endif
