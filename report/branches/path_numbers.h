/*
 * Numbers of the acyclic paths of a function: 0 up to the number of all of them, each path another
 * one, by the sums of values that edges get. Ball and Larus, Efficient path profiling (MICRO-29,
 * 1996), section 3.2, and 3.4 for loops: the edge that closes a loop ends a path and begins one.
 *
 * The edges of jumps through registers are those that were seen, and every call is taken to return.
 */
#ifndef REPORT_BRANCHES_PATH_NUMBERS_H
#define REPORT_BRANCHES_PATH_NUMBERS_H

#include "report/branches/branch_paths.h"

struct path_numbers {
	const struct flow_graph *graph; /* borrowed */
	uint64_t *below;    /* by the first instruction of a block: paths from it to an end */
	bool *begins_round; /* likewise: an edge that closes a loop leads to it */
	uint64_t n_paths;   /* 0: too many for numbers */
};

/* 0 or -ENOMEM. Valid until another jump is noted in the graph. */
int path_numbers_init(struct path_numbers *numbers, const struct flow_graph *graph);
void path_numbers_deinit(struct path_numbers *numbers);
/* false: it is a part of a path, or there are too many paths. */
bool path_numbers_find(const struct path_numbers *numbers, const struct branch_paths *paths,
		       const struct branch_path *path, uint64_t *number_ret);

#endif
