/* Writes paths inside functions: as text, or as JSON (docs/FORMAT.md). */
#ifndef REPORT_BRANCHES_BRANCH_OUTPUT_H
#define REPORT_BRANCHES_BRANCH_OUTPUT_H

#include <stdio.h>

#include "report/branches/branch_paths.h"

struct branch_options {
	const char *function; /* only this one; NULL: all */
	uint32_t n_top;       /* of functions, and of the paths of each, in text */
	bool has_blocks;      /* text: the blocks of each function, too; JSON has them */
	bool by_context;      /* functions are told apart by their contexts; no blocks */
	uint64_t n_without;   /* samples that have no branches */
	uint64_t n_filtered;  /* samples whose branches are not all that were taken */
};

/* 0 or -ENOMEM. */
int branch_write_text(FILE *out, const struct branch_paths *paths,
		      const struct branch_options *options);
int branch_write_json(FILE *out, const struct branch_paths *paths,
		      const struct branch_options *options);

#endif
