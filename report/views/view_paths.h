/*
 * Call path profiles: Hall and Goldberg, Call Path Profiling of Monotonic Program Resources in
 * UNIX, USENIX Summer 1993.
 *
 * Downward, by their Appendix: the walk over the tree begins at the outermost frame of a root
 * function. A node's cost is added to the record of its uncanonical path, the canonical path of its
 * parent and its own function, unless a node above it has the same record; the walk goes on from
 * the canonical path, in which a function that is on it already leads back to where it was.
 *
 * Upward, by the definition of their section 4.3: all call paths that end with the root function,
 * each with the cost that the downward profile from its first function gives it.
 */
#ifndef REPORT_VIEWS_VIEW_PATHS_H
#define REPORT_VIEWS_VIEW_PATHS_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

/* Fills view->root, which has the costs of the whole profile. 0, -ENOENT: no function is a root; or
 * -ENOMEM. */
int view_fill_paths(struct view *view, const struct fold *fold);

#endif
