/*
 * Lines and instructions of the hottest functions of a page, as JSON that report/html/page/code.js
 * reads. Costs are those of `dendro annotate`.
 */
#ifndef REPORT_HTML_PAGE_CODE_H
#define REPORT_HTML_PAGE_CODE_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "report/names/symbolize.h"

/* What code is written of. Borrowed. */
struct page_code {
	const struct profile *profile;
	struct symbolizer *symbolizer;    /* has source lines */
	uint32_t metric;                  /* the functions are those with its highest self cost */
	const char *const *moved_sources; /* "FROM=TO" */
	size_t n_moved_sources;
};

/* An array of functions. 0 or -ENOMEM; the stream's errors are the caller's. */
int page_code_write(FILE *out, const struct page_code *of);

#endif
