/*
 * The ranges of functions according to .eh_frame, for files without symbols. One FDE describes one
 * function, or a part that was split off one. They are found by the table of .eh_frame_hdr if it
 * has the usual form, else by a list, for which all are read. The file may be hostile.
 */
#ifndef REPORT_CODE_FDE_RANGES_H
#define REPORT_CODE_FDE_RANGES_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/object/eh_frame.h"

struct fde_range {
	uint64_t start, end; /* virtual addresses */
};

struct fde_ranges {
	struct eh_frame frames;   /* with a table, .ranges stays empty */
	struct fde_range *ranges; /* sorted by start */
	size_t n_ranges, n_allocated;
};

/* Of @elf, which is borrowed; unreadable FDEs are skipped. 0 or -ENOMEM. */
int fde_ranges_init(struct fde_ranges *ranges, Elf *elf);
void fde_ranges_deinit(struct fde_ranges *ranges);
/* The range that contains @vaddr. */
bool fde_ranges_find(const struct fde_ranges *ranges, uint64_t vaddr, struct fde_range *range_ret);
/* Where the first range begins that begins after @vaddr. */
bool fde_ranges_next(const struct fde_ranges *ranges, uint64_t vaddr, uint64_t *start_ret);

#endif
