/* The processes, threads and cgroups of the samples in a scope. */
#ifndef REPORT_SCOPE_SCOPE_TASKS_H
#define REPORT_SCOPE_SCOPE_TASKS_H

#include "report/scope/browse_scope.h"

/*
 * Folds the samples in @scope of @base's profile by process, thread or cgroup, as @options->kind
 * says: VIEW_PROCESSES, VIEW_THREADS or VIEW_CGROUPS, which needs ->rows of the profile. The cost
 * of other samples is at the root. The caller frees *@fold_ret with fold_destroy(). 0; -ENOENT: no
 * sample is in scope, or the profile has none one by one; or -ENOMEM.
 */
int scope_tasks_fold(const struct browse_scope *scope, struct refold_base *base,
		     struct symbolizer *symbolizer, const struct view_options *options,
		     struct fold **fold_ret);

#endif
