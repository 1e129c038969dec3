/*
 * The address ranges of units in .debug_aranges, which are known without reading the units (DWARF
 * 5, 6.1.2). Compilers may leave the ranges of some or all units out.
 */
#ifndef REPORT_DWARF_DEBUG_ARANGES_H
#define REPORT_DWARF_DEBUG_ARANGES_H

#include <stddef.h>
#include <stdint.h>

#include "report/dwarf/debug_sections.h"

struct debug_arange {
	uint64_t unit; /* its offset in .debug_info */
	uint64_t start, end;
};

struct debug_aranges {
	struct debug_arange *ranges; /* sorted by unit */
	size_t n, n_allocated;
};

/* Reads all ranges; unreadable ones are skipped. 0 or -ENOMEM. */
int debug_aranges_read(struct debug_aranges *aranges, const struct debug_sections *sections);
void debug_aranges_deinit(struct debug_aranges *aranges);
/*
 * The first of the @n_ret ranges of the unit at @offset. NULL: the section does not list the unit.
 */
const struct debug_arange *debug_aranges_of(const struct debug_aranges *aranges, uint64_t offset,
					    size_t *n_ret);

#endif
