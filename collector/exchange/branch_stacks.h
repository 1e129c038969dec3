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
/* Reads a recording, which is a file, once more for its branches, while the terminal shows how far
 * @command has come. *@session_ret is to be closed after the stacks, and reads no more. -errno with
 * *@error_ret as dendro_open(), or NULL. */
int branch_stacks_read_again(const char *command, const char *path,
			     const struct dendro_options *options,
			     const struct symbolizer_options *names, struct dendro **session_ret,
			     struct branch_stacks *stacks, char **error_ret);
void branch_stacks_deinit(struct branch_stacks *stacks);

#endif
