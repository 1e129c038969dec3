/* How often code was executed in the branch stacks of a recording, for listings of it. */
#ifndef COLLECTOR_EXCHANGE_BRANCH_COUNTS_H
#define COLLECTOR_EXCHANGE_BRANCH_COUNTS_H

#include "collector/exchange/branch_stacks.h"
#include "report/annotate/executed_code.h"

/* Borrows the paths of modules. 0 or -ENOMEM; the code is to be released in each case. */
int branch_counts_collect(const struct branch_paths *paths, struct executed_code *code_ret);

#endif
