#include "report/views/view.h"

#include <errno.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/fold/fold_profile.h"
#include "report/views/tree_statistics.h"
#include "report/views/view_callers.h"
#include "report/views/view_callgraph.h"
#include "report/views/view_epochs.h"
#include "report/views/view_flat.h"
#include "report/views/view_hot.h"
#include "report/views/view_paths.h"
#include "report/views/view_syscalls.h"
#include "report/views/view_tree.h"

/* 0 or -errno. */
static int (*const fillers[])(struct view *view, const struct fold *fold) = {
	[VIEW_TREE] = view_fill_tree,           [VIEW_CALLERS] = view_fill_callers,
	[VIEW_CALLGRAPH] = view_fill_callgraph, [VIEW_FUNCTIONS] = view_fill_flat,
	[VIEW_LINES] = view_fill_flat,          [VIEW_MODULES] = view_fill_flat,
	[VIEW_PROCESSES] = view_fill_flat,      [VIEW_PATHS] = view_fill_paths,
	[VIEW_SYSCALLS] = view_fill_syscalls,   [VIEW_THREADS] = view_fill_flat,
	[VIEW_CPUS] = view_fill_flat,           [VIEW_CGROUPS] = view_fill_flat,
	[VIEW_PHASES] = view_fill_phases,       [VIEW_EPOCHS] = view_fill_epochs,
	[VIEW_STATS] = view_fill_statistics,    [VIEW_HOT] = view_fill_hot,
};

struct view *view_create_root(const struct profile *profile, const struct view_options *options,
			      const struct fold *fold)
{
	const size_t n_bytes = fold->n_metrics * sizeof(uint64_t);
	struct view *view = view_alloc(profile, options);

	if (!view)
		return NULL;
	view->n_columns = fold->n_metrics;
	view->n_entities = fold->n_entities;
	view->root = view_add_row(view, NULL, &fold->entities[0]);
	if (!view->root) {
		view_destroy(view);
		return NULL;
	}
	memcpy(view->root->total, fold->total, n_bytes);
	memcpy(view->root->samples, fold->samples, n_bytes);
	view->root->longest = fold_longest(fold, 0);
	return view;
}

/* The view takes over the paths of source files from the fold. */
int view_create_from_fold(const struct profile *profile, const struct view_options *options,
			  struct fold *fold, struct view **view_ret)
{
	struct view *view = view_create_root(profile, options, fold);

	if (!view)
		return -ENOMEM;
	int err = fillers[options->kind](view, fold);
	view->paths = steal_ptr(fold->paths);
	if (err) {
		view_destroy(view);
		return err;
	}
	*view_ret = view;
	return 0;
}

int view_create(const struct profile *profile, struct symbolizer *symbolizer,
		const struct view_options *options, struct view **view_ret)
{
	struct fold *fold;

	if (options->sort_metric && options->sort_metric >= profile->n_metrics)
		return -EINVAL;
	int err = fold_profile(profile, symbolizer, options, &fold);
	if (err)
		return err;
	err = view_create_from_fold(profile, options, fold, view_ret);
	if (err)
		fold_destroy(fold);
	else
		view_tree_take_fold(*view_ret, fold);
	return err;
}
