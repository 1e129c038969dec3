/*
 * Procedure linkage tables, and the functions that their entries jump to. Entries have no symbols:
 * the instructions of an entry contain the address of a slot, and the relocation of that slot names
 * the function. What else such a section has, as the code at its beginning by which functions are
 * bound when they are first called, has the name of the section (".plt"), as in perf. Instructions
 * are decoded per architecture: plt_x86_64.c, plt_i386.c, plt_aarch64.c.
 */
#ifndef REPORT_CODE_PLT_H
#define REPORT_CODE_PLT_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plt_entry {
	uint64_t start, end; /* virtual addresses */
	const char *name;    /* of the function it jumps to; borrowed from the Elf; NULL: chosen by
				@ifunc */
	uint64_t ifunc;      /* virtual address of the IFUNC resolver, which chooses the function */
	bool is_other;       /* not an entry for one function; @name is the section's */
};

/* Whether a section that may have entries contains @vaddr: found without reading any. */
bool plt_is_possible(Elf *elf, uint64_t vaddr);
/* Reads the entries and what else is there, sorted by address. The caller frees *@entries_ret. 0 or
 * -ENOMEM. */
int plt_read(Elf *elf, struct plt_entry **entries_ret, size_t *n_entries_ret);

struct plt_place {
	uint64_t vaddr;     /* of the entry */
	uint64_t got_vaddr; /* address of the global offset table; i386 only: entries address slots
			       relative to it */
};

/*
 * Finds the address of the slot that the entry at @place, with the bytes @code, jumps through.
 * false: not such an entry.
 */
typedef bool plt_decode_function(const uint8_t *code, size_t size, const struct plt_place *place,
				 uint64_t *slot_ret);
plt_decode_function plt_decode_x86_64, plt_decode_i386, plt_decode_aarch64;

#endif
