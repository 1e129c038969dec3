/*
 * A profile as one file for browsers: the page, which the build has made of report/html/page/, with
 * the profile's data in it. It loads nothing, and runs nothing but its own script, which its
 * content security policy names by a hash.
 *
 * The data are blocks (report/html/page_block.h): facts (page_facts.h), the top of the tree,
 * which is drawn first, and the whole (page_columns.h); and on request the code of the hottest
 * functions (page_code.h).
 */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

#include "report/html/page_facts.h"

/* 0, -ENOMEM, or -errno of the stream. */
int page_write(FILE *out, const struct page *page);

#endif
