/* Kernel threads that did nothing but wait for work: in a recording of time off the CPU. */
#ifndef REPORT_FINDINGS_IDLE_THREADS_H
#define REPORT_FINDINGS_IDLE_THREADS_H

#include "report/views/view_rows.h"

/*
 * Whether @row, of a VIEW_TREE and below its root, is a kernel thread, or several, that waited for
 * work: what it cost beside that is less than 0.5 % of each metric.
 */
bool idle_thread(const struct view *view, const struct view_row *row);

#endif
