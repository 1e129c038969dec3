/* Builds the rows of VIEW_EPOCHS: what processes loaded when, and what that time cost. */
#ifndef REPORT_VIEWS_VIEW_EPOCHS_H
#define REPORT_VIEWS_VIEW_EPOCHS_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

/* As view_fill_flat(), with a row for each epoch of the processes that have samples. 0 or -ENOMEM.
 */
int view_fill_epochs(struct view *view, const struct fold *fold);

#endif
