/*
 * Procedure linkage tables: which function an entry jumps to. Entries have no symbols of their
 * own; an entry's instructions name the slot it jumps through, and the relocation of that slot
 * names the function. What an entry looks like is the architecture's: plt_x86_64.c, plt_i386.c,
 * plt_aarch64.c.
 */
#ifndef REPORT_CODE_PLT_H
#define REPORT_CODE_PLT_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plt_entry {
	uint64_t start, end; /* virtual addresses */
	const char *name; /* of the function it leads to; borrowed from the Elf. NULL: @ifunc's */
	uint64_t ifunc;   /* virtual address of the function that chooses where it leads to */
};

/* The entries, sorted by address, to be freed. 0 or -ENOMEM. */
int plt_read(Elf *elf, struct plt_entry **entries_ret, size_t *n_entries_ret);

struct plt_place {
	uint64_t vaddr;     /* of the entry */
	uint64_t got_vaddr; /* where a register points to that i386's entries count from */
};

/* The slot that the entry at @place, with the bytes @code, jumps through. */
typedef bool plt_decode_function(const uint8_t *code, size_t size, const struct plt_place *place,
				 uint64_t *slot_ret);
plt_decode_function plt_decode_x86_64, plt_decode_i386, plt_decode_aarch64;

#endif
