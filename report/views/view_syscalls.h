/*
 * System calls: a row for each, with the cost of all that the kernel did in it, and below it the
 * user functions that made it, innermost first. Samples outside of system calls have rows by why
 * the kernel ran, or one for user code, so that the rows add up to the whole.
 */
#ifndef REPORT_VIEWS_VIEW_SYSCALLS_H
#define REPORT_VIEWS_VIEW_SYSCALLS_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

/* Fills view->root, which has the costs of the whole profile. 0 or -ENOMEM. */
int view_fill_syscalls(struct view *view, const struct fold *fold);

#endif
