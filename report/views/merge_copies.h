/*
 * What a compiler made of one function becomes one function of a fold: clones and split-off parts
 * (report/demangle/clone_name.h), and inlined copies where they are asked for. On a path, a part
 * called by its function is that function going on; a clone called by its function is recursion.
 *
 * Names tell what belongs together, within a module. Where they do not (two functions of one name
 * in the module, as static ones may be), everything of that name stays apart.
 */
#ifndef REPORT_VIEWS_MERGE_COPIES_H
#define REPORT_VIEWS_MERGE_COPIES_H

#include "report/views/fold.h"

/* Before costs are summed up: @fold's total and samples are NULL. 0 or -ENOMEM. */
int merge_copies(struct fold *fold, bool inlined);

#endif
