/*
 * Frame description entries (FDEs) and their common information entries (CIEs): which code they
 * describe, and where their instructions lie.
 *
 * LSB Core 10.6 for .eh_frame and .eh_frame_hdr; DWARF 5, section 6.4.1 for .debug_frame. All
 * lengths are checked: sections come from any file.
 */
#ifndef CCT_OBJECT_EH_FRAME_H
#define CCT_OBJECT_EH_FRAME_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fde {
	uint64_t start, end; /* addresses as the ELF file counts them */
	uint64_t next_start; /* set by fde_find(): of the next entry; what follows is not this one's
			      */
	size_t at, cie_at;   /* offsets in the section */
	const uint8_t *instructions;
	size_t n_instructions; /* bytes */
	/* Of its CIE. */
	const uint8_t *initial_instructions;
	size_t n_initial_instructions; /* bytes */
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t ra_reg;
	uint8_t address_encoding; /* DW_EH_PE_* */
	bool has_augmentation_data;
	bool is_signal_frame;
	bool has_landing_pads; /* or others with this CIE have */
};

enum eh_frame_section { EH_FRAME, DEBUG_FRAME };

struct eh_frame_span {
	const uint8_t *bytes; /* NULL: absent */
	size_t size;
	uint64_t vaddr; /* of the first byte */
};

/* An entry of .eh_frame_hdr's table: an address and its FDE's, as signed distances. */
#define EH_FRAME_HEADER_ENTRY 8

/* One section; its bytes are the Elf's. */
struct eh_frame {
	enum eh_frame_section section;
	struct eh_frame_span entries;
	/* .eh_frame_hdr's table if it has the usual form: from its first entry on; distances count
	 * from @vaddr. */
	struct eh_frame_span header;
	size_t n_header_entries; /* 0: there is no such table */
	bool is_64;
};

/* 0; -ENOENT: no such section; -EINVAL: it can't be read. Not thread-safe with others that use
 * @elf. */
int eh_frame_open(Elf *elf, enum eh_frame_section section, struct eh_frame *frames_ret);
/* The FDE at an offset of the section. 0; -ENOENT: it is a CIE; -EINVAL. Any thread. */
int eh_frame_read(const struct eh_frame *frames, size_t at, struct fde *fde_ret);

/* Of the header's table, which has @n_header_entries: how many begin at or before @vaddr; where one
 * begins; and the offset of its FDE, which need not be in the section. Any thread. */
size_t eh_frame_count_listed(const struct eh_frame *frames, uint64_t vaddr);
uint64_t eh_frame_listed_start(const struct eh_frame *frames, size_t i);
size_t eh_frame_listed_at(const struct eh_frame *frames, size_t i);

/* All FDEs, in the section's order; all zero but for @frames at first. */
struct eh_frame_walk {
	const struct eh_frame *frames;
	struct fde fde; /* the present one */
	size_t next_at;
	bool has_cie; /* @fde's is known */
};

/* The next FDE; those that can't be read are left out. false: no more. */
bool eh_frame_next(struct eh_frame_walk *walk);

#endif
