/*
 * Where functions begin and end by .eh_frame: one FDE describes one function, or a part of one that
 * stands apart. So code has functions without any symbol. The file may be hostile.
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

/* 0 or -ENOMEM; what can't be read is left out. */
int fde_ranges_init(struct fde_ranges *ranges, Elf *elf);
void fde_ranges_deinit(struct fde_ranges *ranges);
/* The range that holds @vaddr, or NULL. */
const struct fde_range *fde_ranges_find(const struct fde_ranges *ranges, uint64_t vaddr);
/* The first range that begins behind @vaddr, or NULL. */
const struct fde_range *fde_ranges_next(const struct fde_ranges *ranges, uint64_t vaddr);

#endif
