/*
 * One ELF file's call frame information, one row at a time.
 *
 * .eh_frame is asked first, with or without .eh_frame_hdr, then .debug_frame.
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <libelf.h>

#include "unwind/rule.h"

struct cfi;

/* @elf is borrowed for the life of the result. NULL: out of memory. */
struct cfi *cfi_create(Elf *elf);
void cfi_destroy(struct cfi *cfi);
/*
 * The row for @vaddr, an address as the ELF file counts them: a rule with a caller, or RULE_ROOT,
 * RULE_NONE, RULE_BAD. General rules live as long as @cfi. Not thread-safe.
 */
void cfi_find_rule(struct cfi *cfi, const struct arch *arch, uint64_t vaddr, struct rule *rule_ret);

#endif
