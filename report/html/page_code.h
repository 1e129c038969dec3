/*
 * Lines and instructions of the hottest functions of a page, as JSON that report/html/page/code.js
 * reads. Costs are those of `dendro annotate`.
 */
#ifndef REPORT_HTML_PAGE_CODE_H
#define REPORT_HTML_PAGE_CODE_H

#include <stdio.h>

#include "report/html/page_facts.h"

/* Of a page with line_symbolizer. 0, -ENOMEM, or -errno of the stream. */
int page_code_write(FILE *out, const struct page *page);

#endif
