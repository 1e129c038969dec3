/*
 * Merges all code that a compiler made from one function into one function of a fold: clones and
 * split-off parts (report/demangle/clone_name.h), and inlined copies on request. On a path, a part
 * called by its own function is merged into that caller; a clone called by its own function is
 * recursion.
 *
 * Functions are matched by their names within a module. If a name is ambiguous (two functions of
 * one name in the module, such as static ones), nothing of that name is merged.
 */
#ifndef REPORT_FOLD_MERGE_COPIES_H
#define REPORT_FOLD_MERGE_COPIES_H

#include "report/fold/fold.h"

/*
 * Call this before fold_sum_up(), while @fold's total and samples are NULL. @inlined: merge inlined
 * copies, too. 0 or -ENOMEM.
 */
int merge_copies(struct fold *fold, bool inlined);

#endif
