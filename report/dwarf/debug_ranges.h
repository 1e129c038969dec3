/*
 * The address ranges of a unit, a function or an inlined call: DW_AT_low_pc and DW_AT_high_pc, or a
 * list of ranges (DWARF 5, 2.17 and 7.25; DWARF 4, 2.17.3). The lists of split units depend on
 * attributes of their skeleton. libdw only knows these for units that it found itself, so lists are
 * read here.
 */
#ifndef REPORT_DWARF_DEBUG_RANGES_H
#define REPORT_DWARF_DEBUG_RANGES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "report/dwarf/debug_sections.h"

/* What is needed to read the ranges of one unit. */
struct debug_range_source {
	const struct debug_sections *sections;
	uint64_t base; /* addresses in lists are relative to it until a list sets another base */
	uint64_t lists_base, addr_base; /* offsets in their sections from which indexes count */
	/* How many entries may still be read, however often a file refers to its lists. */
	uint64_t *budget;
	uint16_t version;
	uint8_t address_size, offset_size;
};

struct debug_range {
	uint64_t start, end;
};

struct debug_ranges {
	struct debug_range *ranges;
	size_t n, n_allocated;
};

/* @unit: the unit's DIE, in @sections. 0; -EINVAL: it is malformed. */
int debug_range_source_init(struct debug_range_source *source, Dwarf_Die *unit,
			    const struct debug_sections *sections, uint64_t *budget);
/*
 * Reads the ranges of @die in the file's order. Empty ranges and those at address 0, where linkers
 * put removed code, are skipped, as are unreadable ones. 0 or -ENOMEM.
 */
int debug_ranges_read(struct debug_ranges *ranges, const struct debug_range_source *source,
		      Dwarf_Die *die);
void debug_ranges_deinit(struct debug_ranges *ranges);

#endif
