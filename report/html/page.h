/*
 * A profile as one file for browsers: the page, which the build has made of report/html/page/, with
 * the profile's data in it. It loads nothing, and runs nothing but its own script, which its
 * content security policy names by a hash.
 *
 * The data are three blocks (report/html/page_block.h): facts (page_facts.h), the top of the tree,
 * which is drawn first, and the whole (page_columns.h).
 */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

#include <stdio.h>

#include "report/fold/view_options.h"
#include "report/names/symbolize.h"
#include "report/views/export_options.h"

struct page {
	const struct profile *profile;
	struct symbolizer *symbolizer;
	const struct view_options *view; /* grouping, kernel, sort_metric: which is shown first */
	const struct export_options *options; /* source, selected, ratios */
};

/* 0, -ENOMEM, or -errno of the stream. */
int page_write(FILE *out, const struct page *page);

#endif
