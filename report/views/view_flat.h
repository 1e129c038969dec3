/* Builds the rows of the flat views from a fold. */
#ifndef REPORT_VIEWS_VIEW_FLAT_H
#define REPORT_VIEWS_VIEW_FLAT_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

/* Fills view->root, which has the costs of the whole profile. 0 or -ENOMEM. */
int view_fill_flat(struct view *view, const struct fold *fold);
/* Likewise VIEW_PHASES, with a row for each phase, in which there may be no samples. */
int view_fill_phases(struct view *view, const struct fold *fold);

#endif
