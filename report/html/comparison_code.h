/*
 * Lines and instructions of the hottest functions of each file of a comparison (page_code.h), as
 * JSON that report/html/diff/change_code.js reads. Files are added one after the other, since a
 * profile is released once its costs are counted for one run.
 */
#ifndef REPORT_HTML_COMPARISON_CODE_H
#define REPORT_HTML_COMPARISON_CODE_H

#include "report/diff/diff.h"
#include "report/html/page_code.h"

/* All zero has no file, and its page no code. */
struct comparison_code {
	char *text; /* valid after comparison_code_finish() */
	size_t size;
	FILE *out;
	size_t n; /* files */
};

/* 0 or -ENOMEM. */
int comparison_code_add(struct comparison_code *code, enum diff_side side, const char *path,
			const struct page_code *of);
/* Ends the text. 0 or -ENOMEM. */
int comparison_code_finish(struct comparison_code *code);
void comparison_code_deinit(struct comparison_code *code);

#endif
