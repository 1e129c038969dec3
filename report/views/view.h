/*
 * Views: a profile as a table or tree of rows, ready to print. A view folds the nodes of the
 * calling context tree to functions: two call sites in one function, or one function at two
 * offsets, are one row below the same parent. Inclusive numbers never count a sample twice, even in
 * recursion.
 */
#ifndef REPORT_VIEWS_VIEW_H
#define REPORT_VIEWS_VIEW_H

#include "cct/model/profile.h"
#include "report/names/symbolize.h"
#include "report/views/view_rows.h"

/*
 * The caller frees *@view_ret with view_destroy(). 0 or -errno; -ENOENT: no function has the name
 * options.root.
 */
int view_create(const struct profile *profile, struct symbolizer *symbolizer,
		const struct view_options *options, struct view **view_ret);

#endif
