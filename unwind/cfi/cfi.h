/*
 * The call frame information of one module, one row at a time, as rules.
 *
 * The sections are searched in this order, each only if the previous ones do not describe the
 * address: .eh_frame, .debug_frame, .debug_frame of the ELF file in .gnu_debugdata, .debug_frame of
 * a separate debug file.
 */
#ifndef UNWIND_CFI_CFI_H
#define UNWIND_CFI_CFI_H

#include <libelf.h>
#include <stddef.h>

#include "unwind/rules/rule.h"

struct cfi;
struct module;

/* @elf and its @module are borrowed for the life of the result. Without @module (NULL) no debug
 * file is searched. NULL: out of memory. */
struct cfi *cfi_create(Elf *elf, const struct module *module);
void cfi_destroy(struct cfi *cfi);
/* The same module, of another table. */
void cfi_set_module(struct cfi *cfi, const struct module *module);
/* The memory it takes. */
size_t cfi_size(const struct cfi *cfi);
/*
 * The row for @vaddr, a virtual address of the ELF file: a rule with a caller, or RULE_ROOT,
 * RULE_NONE, RULE_BAD. General rules live as long as @cfi. Not thread-safe.
 *
 * true: the rows of its function follow the stack down and up again. false: they do not, or that is
 * not known.
 */
bool cfi_find_rule(struct cfi *cfi, const struct arch *arch, uint64_t vaddr, struct rule *rule_ret);
/* Code that one FDE describes. */
struct cfi_function {
	uint64_t start, end;
	bool has_landing_pads; /* parts of it may be entered by exceptions only */
};

/* What is described together with @vaddr. false: nothing describes it. Not thread-safe. */
bool cfi_find_function(struct cfi *cfi, uint64_t vaddr, struct cfi_function *ret);
/* Whether an FDE describes any of [@start, @end). Not thread-safe. */
bool cfi_has_any(struct cfi *cfi, uint64_t start, uint64_t end);
/* The section that describes @vaddr: ".eh_frame", ".debug_frame"; NULL: none. Not thread-safe. */
const char *cfi_section(struct cfi *cfi, uint64_t vaddr);

#endif
