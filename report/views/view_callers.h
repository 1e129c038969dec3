/* Builds the bottom-up tree of a view from a fold. */
#ifndef REPORT_VIEWS_VIEW_CALLERS_H
#define REPORT_VIEWS_VIEW_CALLERS_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

/* Fills view->root, which has the costs of the whole profile. 0 or -ENOMEM. */
int view_fill_callers(struct view *view, const struct fold *fold);

#endif
