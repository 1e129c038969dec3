/* How often code was executed in the branch stacks of a recording, for listings of it. */
#ifndef COLLECTOR_EXCHANGE_BRANCH_COUNTS_H
#define COLLECTOR_EXCHANGE_BRANCH_COUNTS_H

#include "collector/exchange/branch_stacks.h"
#include "report/annotate/executed_code.h"

/* Borrows the paths of modules. 0 or -ENOMEM; the code is to be released in each case. */
int branch_counts_collect(const struct branch_paths *paths, struct executed_code *code_ret);
/* What a recording says of it. */
struct recorded_counts {
	struct branch_stacks stacks;
	struct executed_code executed;
	struct dendro *session;
	const struct executed_code *known; /* ->executed; NULL: no branches were recorded */
};

/* Reads a recording that has branches once more. @profile: of it. 0, or another value after a
 * message of @command; it is to be released in each case. */
int recorded_counts_read(struct recorded_counts *counts, const char *command, const char *path,
			 const struct profile *profile, const struct dendro_options *build,
			 const struct symbolizer_options *symbolizer);
void recorded_counts_deinit(struct recorded_counts *counts);

#endif
