/* The text report of a call graph: an entry for each function, between callers and callees. */
#ifndef REPORT_TEXT_TEXT_CALLGRAPH_H
#define REPORT_TEXT_TEXT_CALLGRAPH_H

#include "report/text/text.h"

void text_callgraph_write(struct text *text);

#endif
