/*
 * Views: a profile -> rows or a tree of rows, ready to print. A view folds CCT nodes to functions:
 * two call sites in one function, or one function at two offsets, are one row under the same
 * parent. Inclusive numbers never count a sample twice, however a function recurs.
 */
#ifndef REPORT_VIEWS_VIEW_H
#define REPORT_VIEWS_VIEW_H

#include "cct/model/profile.h"
#include "report/names/symbolize.h"
#include "report/views/view_rows.h"

/* To be freed by view_destroy(). */
int view_create(const struct profile *profile, struct symbolizer *symbolizer,
		const struct view_options *options, struct view **view_ret);

#endif
