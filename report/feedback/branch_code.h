/*
 * How often code was executed, counted by the branches that samples have: in all stacks together,
 * not in the whole run. As llvm-profgen counts: what is between the branches of a stack, so not the
 * instruction with its first branch, of which the call counts nevertheless.
 */
#ifndef REPORT_FEEDBACK_BRANCH_CODE_H
#define REPORT_FEEDBACK_BRANCH_CODE_H

#include "report/branches/branch_paths.h"
#include "report/feedback/code_lines.h"

/*
 * Fills @counts, an empty tree, with the functions and lines that the branches walked through.
 * *@n_ret: the instructions that were executed. *@n_placed_ret: those of them that have lines. 0 or
 * -ENOMEM.
 */
int branch_code_count(const struct branch_paths *paths, const struct code_naming *naming,
		      struct line_counts *counts, uint64_t *n_ret, uint64_t *n_placed_ret);

#endif
