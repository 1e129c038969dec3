/*
 * The sections of a file that contain debug information, as far as they are used: mapped, or
 * decompressed (zlib, zstd, or the older .zdebug_*). libdw would decompress all sections, but does
 * not support all methods. So it gets an ELF file, built in memory, that contains only these
 * sections, already decompressed.
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
	DEBUG_LOC, /* this and the next one only where they are asked for */
	DEBUG_LOCLISTS,
	DEBUG_RANGES,
	DEBUG_RNGLISTS,
	DEBUG_STR,
	DEBUG_STR_OFFSETS,
	DEBUG_TYPES,
	N_DEBUG_SECTIONS_OF_LIBDW,
	DEBUG_ARANGES = N_DEBUG_SECTIONS_OF_LIBDW,
	DEBUG_CU_INDEX, /* index of a package of split units (.dwp) */
	DEBUG_ALT_LINK, /* .gnu_debugaltlink of dwz: a file's name, a zero, its build ID */
	N_DEBUG_SECTIONS
};

struct debug_bytes {
	const uint8_t *bytes; /* NULL: no such section, or it is unreadable */
	size_t size;
};

struct debug_sections {
	struct debug_bytes of[N_DEBUG_SECTIONS];
	void *decompressed[N_DEBUG_SECTIONS];
	uint16_t machine;
	uint8_t byte_order; /* ELFDATA2LSB, ELFDATA2MSB */
};

/*
 * Reads the sections of @elf, which must stay open. @is_split: those of split units
 * (.debug_info.dwo etc.). @has_locations: also where variables are. Sections that cannot be
 * decompressed, or claim an impossible size, count as missing. Large ones are decompressed by two
 * threads, which have ended when this returns. 0 or -ENOMEM.
 */
int debug_sections_read(struct debug_sections *sections, Elf *elf, bool is_split,
			bool has_locations);
void debug_sections_deinit(struct debug_sections *sections);
/*
 * Reads an unsigned number in the file's byte order. @size: 1 to 8; the caller has checked that
 * there are as many bytes.
 */
uint64_t debug_sections_number(const struct debug_sections *sections, const uint8_t *bytes,
			       size_t size);

/*
 * Limit for strings: longer ones are not names, and repeated searches for their end must not take
 * long.
 */
#define DEBUG_STRING_MAX 65536

/* A reader from @at to @end, which are in one of the sections. */
static inline struct dwarf_reader debug_reader(const struct debug_sections *sections,
					       const uint8_t *at, const uint8_t *end)
{
	return (struct dwarf_reader){ .at = at,
				      .end = end,
				      .is_big_endian = sections->byte_order == ELFDATA2MSB };
}

/*
 * A reader from an offset to the section's end. It is broken if the section or the offset does not
 * exist.
 */
static inline struct dwarf_reader debug_reader_at(const struct debug_sections *sections,
						  enum debug_section which, uint64_t offset)
{
	const struct debug_bytes *bytes = &sections->of[which];

	if (!bytes->bytes || offset > bytes->size)
		return (struct dwarf_reader){ .is_broken = true };
	return debug_reader(sections, bytes->bytes + offset, bytes->bytes + bytes->size);
}

/* The handle of libdw for such sections. */
struct debug_dwarf {
	Dwarf *dwarf;
	Elf *elf;
	void *image;
};

/*
 * The bytes of @sections must outlive @dwarf. 0; -ENOENT: no debug information that libdw accepts;
 * -ENOMEM.
 */
int debug_dwarf_init(struct debug_dwarf *dwarf, const struct debug_sections *sections);
void debug_dwarf_deinit(struct debug_dwarf *dwarf);

#endif
