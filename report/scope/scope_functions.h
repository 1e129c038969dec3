/* The functions of the samples in a scope. */
#ifndef REPORT_SCOPE_SCOPE_FUNCTIONS_H
#define REPORT_SCOPE_SCOPE_FUNCTIONS_H

#include "report/scope/browse_scope.h"

/* Whether scope_functions_fold() can do it: the scope is not the whole, no row is shown alone, and
 * the base was prepared. */
bool scope_functions_can_fold(const struct browse_scope *scope, const struct refold_base *base);
/*
 * A fold for VIEW_FUNCTIONS with the rows that the fold of the scope has. It has no paths: each
 * entity is one node, with the cost that all its nodes add to the rows. So it takes two passes over
 * the base, and not much memory is written. Names are borrowed from the base. The caller frees
 * *@fold_ret with fold_destroy(). 0; -ENOENT: no path is selected; or -ENOMEM.
 */
int scope_functions_fold(const struct browse_scope *scope, struct refold_base *base,
			 struct fold **fold_ret);

#endif
