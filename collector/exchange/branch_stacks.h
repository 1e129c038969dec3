/* The branches before the samples of a recording, read for what is made of them. */
#ifndef COLLECTOR_EXCHANGE_BRANCH_STACKS_H
#define COLLECTOR_EXCHANGE_BRANCH_STACKS_H

#include "collector/session/dendro.h"
#include "report/branches/branch_paths.h"

struct branch_stacks {
	struct branch_paths paths;
	struct symbolizer *symbolizer; /* of the paths */
	uint64_t n_without;            /* samples that have no branches */
	uint64_t n_filtered;           /* samples whose branches are not all that were taken */
};

/* Reads all samples of a session with options.no_paths, which must outlive the stacks.
 * @by_context: paths in different calling contexts are different paths. 0 or -errno; the stacks are
 * to be released in each case. */
int branch_stacks_read(struct dendro *session, const struct symbolizer_options *names,
		       bool by_context, struct branch_stacks *stacks);
void branch_stacks_deinit(struct branch_stacks *stacks);

#endif
