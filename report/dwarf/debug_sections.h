/*
 * The sections of a file that hold debug information, as many as we read: mapped as they are, or
 * decompressed if they are compressed (zlib, zstd, or the older .zdebug_*). libdw would decompress
 * all there are, some of them by methods it does not know; so it gets to see only these, in an ELF
 * file made of them in memory.
 */
#ifndef REPORT_DWARF_DEBUG_SECTIONS_H
#define REPORT_DWARF_DEBUG_SECTIONS_H

#include <elf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/object/dwarf_reader.h"

enum debug_section {
	DEBUG_ABBREV,
	DEBUG_ADDR,
	DEBUG_INFO,
	DEBUG_LINE,
	DEBUG_LINE_STR,
	DEBUG_RANGES,
	DEBUG_RNGLISTS,
	DEBUG_STR,
	DEBUG_STR_OFFSETS,
	DEBUG_TYPES,
	N_DEBUG_SECTIONS_OF_LIBDW,
	DEBUG_ARANGES = N_DEBUG_SECTIONS_OF_LIBDW,
	DEBUG_CU_INDEX, /* of a package of split units (.dwp) */
	DEBUG_ALT_LINK, /* dwz's: a file's name, 0, its build ID */
	N_DEBUG_SECTIONS
};

struct debug_bytes {
	const uint8_t *bytes; /* NULL: there is no such section, or it can't be read */
	size_t size;
};

struct debug_sections {
	struct debug_bytes of[N_DEBUG_SECTIONS];
	void *decompressed[N_DEBUG_SECTIONS];
	uint16_t machine;
	uint8_t byte_order; /* ELFDATA2LSB, ELFDATA2MSB */
};

/*
 * @is_split: those of split units, .debug_info.dwo and so on. @elf must stay open. What can't be
 * decompressed, or claims to become impossibly large, is as if it were missing. 0 or -ENOMEM.
 */
int debug_sections_read(struct debug_sections *sections, Elf *elf, bool is_split);
void debug_sections_deinit(struct debug_sections *sections);
/* Unsigned, in the file's byte order; @size is 1 to 8, and the caller has checked that it fits. */
uint64_t debug_sections_number(const struct debug_sections *sections, const uint8_t *bytes,
			       size_t size);

/* Longer strings are not names; and looking for an end again and again must not take long. */
#define DEBUG_STRING_MAX 65536

/* Reads from @at to @end, which are in one of the sections. */
static inline struct dwarf_reader debug_reader(const struct debug_sections *sections,
					       const uint8_t *at, const uint8_t *end)
{
	return (struct dwarf_reader){ .at = at,
				      .end = end,
				      .is_big_endian = sections->byte_order == ELFDATA2MSB };
}

/* Reads from an offset to the section's end. Broken where there is no such section or offset. */
static inline struct dwarf_reader debug_reader_at(const struct debug_sections *sections,
						  enum debug_section which, uint64_t offset)
{
	const struct debug_bytes *bytes = &sections->of[which];

	if (!bytes->bytes || offset > bytes->size)
		return (struct dwarf_reader){ .is_broken = true };
	return debug_reader(sections, bytes->bytes + offset, bytes->bytes + bytes->size);
}

/* What libdw has of such sections. */
struct debug_dwarf {
	Dwarf *dwarf;
	Elf *elf;
	void *image;
};

/* @sections' bytes must stay. -ENOENT: no debug information that libdw takes; or -ENOMEM. */
int debug_dwarf_init(struct debug_dwarf *dwarf, const struct debug_sections *sections);
void debug_dwarf_deinit(struct debug_dwarf *dwarf);

#endif
