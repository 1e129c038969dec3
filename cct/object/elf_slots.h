/*
 * The places in a program's memory that its loader fills with addresses of functions: relocations
 * of dynamic symbols and of IFUNCs, as the section headers list them.
 */
#ifndef CCT_OBJECT_ELF_SLOTS_H
#define CCT_OBJECT_ELF_SLOTS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/* Filled with a dynamic symbol's address, or with what an IFUNC's resolver returns. */
struct elf_slot {
	uint64_t addr;
	const char *name; /* of the symbol; lives as long as the Elf; NULL: chosen by @ifunc */
	uint64_t ifunc;   /* the resolver's address, in the file itself */
};

/* Sorted by address. */
struct elf_slots {
	struct elf_slot *slots;
	size_t n, n_allocated;
};

/* 0 or -ENOMEM. What can't be read is left out. */
int elf_slots_init(struct elf_slots *slots, Elf *elf);
void elf_slots_deinit(struct elf_slots *slots);
/* NULL: none is there. */
const struct elf_slot *elf_slots_find(const struct elf_slots *slots, uint64_t addr);

#endif
