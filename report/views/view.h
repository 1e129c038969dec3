/*
 * Views: a profile as a table or tree of rows, ready to print. A view folds the nodes of the
 * calling context tree to functions: two call sites in one function, or one function at two
 * offsets, are one row below the same parent. Inclusive numbers never count a sample twice, even in
 * recursion.
 */
#ifndef REPORT_VIEWS_VIEW_H
#define REPORT_VIEWS_VIEW_H

#include "cct/model/profile.h"
#include "report/fold/fold.h"
#include "report/names/symbolize.h"
#include "report/views/view_rows.h"

/*
 * The caller frees *@view_ret with view_destroy(). 0 or -errno; -ENOENT: no function has the name
 * options.root.
 */
int view_create(const struct profile *profile, struct symbolizer *symbolizer,
		const struct view_options *options, struct view **view_ret);
/* Likewise from a fold that fold_profile() made with these options. */
int view_create_from_fold(const struct profile *profile, const struct view_options *options,
			  struct fold *fold, struct view **view_ret);
/* A view that has its root alone, with the costs of the whole profile. NULL: out of memory. */
struct view *view_create_root(const struct profile *profile, const struct view_options *options,
			      const struct fold *fold);

#endif
