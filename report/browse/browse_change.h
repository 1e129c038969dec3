/* Changes of what dendro browse looks at, which are undone one by one. */
#ifndef REPORT_BROWSE_BROWSE_CHANGE_H
#define REPORT_BROWSE_BROWSE_CHANGE_H

#include "report/browse/browse_state.h"

/*
 * All return 0 or -errno. What cannot be done leaves a message, and everything as it was.
 */

/* Only paths that have a function that matches, or none of these. */
int browse_add_regex(struct browse *browse, enum condition_kind kind, const char *regex);
/* Likewise, with the function under the cursor; on the page of modules, its module. */
int browse_add_function(struct browse *browse, enum condition_kind kind);
/* Likewise, code of the module of the row under the cursor. */
int browse_add_module(struct browse *browse, enum condition_kind kind);
/* Merged, none, only. */
int browse_change_kernel(struct browse *browse);
/* What is below the row of the tree under the cursor alone. */
int browse_zoom(struct browse *browse);
/* On a page of processes, threads or cgroups: the samples of the row under the cursor alone, as a
 * tree. */
int browse_choose_task(struct browse *browse);
/* The paths that begin or end with the function under the cursor. */
int browse_show_paths(struct browse *browse, enum path_direction direction);
/* Of the same function. */
int browse_turn_paths(struct browse *browse);
int browse_undo(struct browse *browse);

#endif
