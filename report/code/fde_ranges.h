/*
 * The ranges of functions according to .eh_frame, for files without symbols. One FDE describes one
 * function, or a part that was split off one. The file may be hostile.
 */
#ifndef REPORT_CODE_FDE_RANGES_H
#define REPORT_CODE_FDE_RANGES_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fde_range {
	uint64_t start, end; /* virtual addresses */
};

struct fde_ranges {
	struct fde_range *ranges; /* sorted by start */
	size_t n_ranges, n_allocated;
};

/* Reads the ranges of @elf; unreadable FDEs are skipped. 0 or -ENOMEM. */
int fde_ranges_init(struct fde_ranges *ranges, Elf *elf);
void fde_ranges_deinit(struct fde_ranges *ranges);
/* The range that contains @vaddr, or NULL. */
const struct fde_range *fde_ranges_find(const struct fde_ranges *ranges, uint64_t vaddr);
/* The first range that begins after @vaddr, or NULL. */
const struct fde_range *fde_ranges_next(const struct fde_ranges *ranges, uint64_t vaddr);

#endif
