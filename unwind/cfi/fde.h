/*
 * Frame description entries (FDEs): which one describes an address, and where its instructions lie.
 *
 * LSB Core 10.6 for .eh_frame and .eh_frame_hdr; DWARF 5, section 6.4.1 for .debug_frame. Entries
 * are found by .eh_frame_hdr's table where there is one of the usual form, else by an index made in
 * one pass over the section. All lengths are checked: sections come from any file.
 */
#ifndef UNWIND_CFI_FDE_H
#define UNWIND_CFI_FDE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fde {
	uint64_t start, end; /* addresses as the ELF file counts them */
	uint64_t next_start; /* of the entry behind: what lies from there on is not this one's */
	size_t at, cie_at;   /* offsets in the section */
	const uint8_t *instructions;
	size_t n_instructions; /* bytes */
	/* Of its common information entry (CIE). */
	const uint8_t *initial_instructions;
	size_t n_initial_instructions; /* bytes */
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t ra_reg;
	uint8_t address_encoding; /* DW_EH_PE_* */
	bool has_augmentation_data;
	bool is_signal_frame;
};

enum fde_section { FDE_EH_FRAME, FDE_DEBUG_FRAME };

/* The entries of one section. */
struct fde_table;

/* @elf is borrowed for the life of the result. 0; -ENOENT: no such section; -EINVAL: it can't be
 * read; -ENOMEM. Not thread-safe with others that use @elf. */
int fde_table_create(Elf *elf, enum fde_section section, struct fde_table **table_ret);
void fde_table_destroy(struct fde_table *table);
/* Of the section, in bytes. */
size_t fde_table_size(const struct fde_table *table);
/* 0; -ENOENT: no entry holds @vaddr; -EINVAL: it can't be read. Any thread. Results point into the
 * section. */
int fde_find(const struct fde_table *table, uint64_t vaddr, struct fde *fde_ret);
/* Whether an entry describes any of [@start, @end). */
bool fde_has_any(const struct fde_table *table, uint64_t start, uint64_t end);

#endif
