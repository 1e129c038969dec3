/* The call graph: functions, each with its callers and callees. */
#ifndef REPORT_VIEWS_VIEW_CALLGRAPH_H
#define REPORT_VIEWS_VIEW_CALLGRAPH_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

/* Gives the rows of a call graph (report/views/call_graph.h) their places below view->root and
 * view->cycles. 0 or -ENOMEM. */
int view_fill_callgraph(struct view *view, const struct fold *fold);

#endif
