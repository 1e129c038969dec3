/*
 * An annotated function by source line: after each line follow the code inlined into it and its
 * instructions.
 */
#ifndef REPORT_ANNOTATE_ANNOTATE_LINES_H
#define REPORT_ANNOTATE_ANNOTATE_LINES_H

#include "report/annotate/annotate_page.h"

/* Writes the lines of page->function with their context, file by file. 0 or -ENOMEM. */
int annotate_lines_write(const struct page *page);

#endif
