/*
 * A comparison of runs as one file for browsers: the page, which the build has made of
 * report/html/diff/ and of what both pages need from report/html/page/, with the data in it, as
 * page.h has it for a profile. The data are four blocks (report/html/page_block.h): facts, the
 * call paths of a first picture, and all of them (report/html/comparison_columns.h), which the page
 * adds up and tests itself (report/html/diff/); and when and in which threads they have their cost
 * (report/html/comparison_rows.h), as finely as that has room in a page of bounded size; and on
 * request a fifth, the code of the hottest functions (report/html/comparison_code.h). Its
 * numbers equal the numbers of dendro diff --format json.
 */
#ifndef REPORT_HTML_COMPARISON_PAGE_H
#define REPORT_HTML_COMPARISON_PAGE_H

#include <stdio.h>

#include "report/diff/diff.h"
#include "report/html/comparison_code.h"
#include "report/html/comparison_rows.h"

/* The same runs, metrics and normalization in two views. Borrowed. */
struct comparison_page {
	const struct diff *paths;           /* VIEW_TREE */
	const struct diff *functions;       /* VIEW_FUNCTIONS */
	const struct comparison_rows *rows; /* NULL: none */
	const struct comparison_code *code; /* finished; NULL: none */
	bool merges_copies; /* inlined copies are a part of the function in its table */
};

/* 0, -ENOMEM, or -errno of the stream. */
int comparison_page_write(FILE *out, const struct comparison_page *page);

#endif
