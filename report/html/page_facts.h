/*
 * What the page has beside the tree, as JSON: what was recorded where and when, the metrics, the
 * quality of the data, and which names are missing. report/html/page/payload.js has its type.
 */
#ifndef REPORT_HTML_PAGE_FACTS_H
#define REPORT_HTML_PAGE_FACTS_H

#include <stdio.h>

#include "report/fold/view_options.h"
#include "report/names/symbolize.h"
#include "report/views/export_options.h"

/* What a page is made of. Borrowed. */
struct page {
	const struct profile *profile;
	struct symbolizer *symbolizer;
	const struct view_options *view; /* grouping, kernel, sort_metric: which is shown first */
	const struct export_options *options; /* source, selected, ratios */
	/* Has source lines: the page has code of the hottest functions. NULL: it has none. */
	struct symbolizer *line_symbolizer;
	const char *const *moved_sources; /* "FROM=TO" */
	size_t n_moved_sources;
};

/* 0, -ENOMEM, or -errno of the stream. */
int page_facts_write(FILE *out, const struct page *page);

#endif
