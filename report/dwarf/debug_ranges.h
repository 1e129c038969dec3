/*
 * Where the code of a unit, a function or an inlined call lies: DW_AT_low_pc and DW_AT_high_pc, or
 * a list of ranges (DWARF 5, 2.17 and 7.25; DWARF 4, 2.17.3). Lists of split units need what only
 * their skeleton says, which libdw does not know for units that it did not find by itself.
 */
#ifndef REPORT_DWARF_DEBUG_RANGES_H
#define REPORT_DWARF_DEBUG_RANGES_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "report/dwarf/debug_sections.h"

/* What a unit's ranges are read with. */
struct debug_range_source {
	const struct debug_sections *sections;
	uint64_t base; /* that addresses in lists are relative to, until a list says otherwise */
	uint64_t lists_base, addr_base; /* of what is meant by an index, in their sections */
	/* Entries that may still be read: however often a file refers to its lists. */
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

/* @unit: the unit's own DIE, of @sections. -EINVAL: it makes no sense. */
int debug_range_source_init(struct debug_range_source *source, Dwarf_Die *unit,
			    const struct debug_sections *sections, uint64_t *budget);
/*
 * Sets @ranges to those of @die, in the file's order; none is empty or begins at 0, where lies what
 * the linker left out. 0 or -ENOMEM; what can't be read is left out.
 */
int debug_ranges_read(struct debug_ranges *ranges, const struct debug_range_source *source,
		      Dwarf_Die *die);
void debug_ranges_deinit(struct debug_ranges *ranges);

#endif
