/* The source lines of the samples in a scope. */
#ifndef REPORT_SCOPE_SCOPE_LINES_H
#define REPORT_SCOPE_SCOPE_LINES_H

#include "report/scope/browse_scope.h"

/*
 * A fold for VIEW_LINES with the rows that fold_profile() has for the tree of the samples in
 * @scope. It has no paths: its nodes are the functions of each frame, with the cost that all nodes
 * of @base's tree with that frame add to the rows. So it is as large as the profile's code, and
 * takes one walk over the tree. @symbolizer finds lines. The caller frees *@fold_ret with
 * fold_destroy(). 0; -ENOENT: no sample is in scope; or another -errno.
 */
int scope_lines_fold(const struct browse_scope *scope, struct refold_base *base,
		     struct symbolizer *symbolizer, const struct view_options *options,
		     struct fold **fold_ret);

#endif
