/* A comparison as text for a terminal. */
#ifndef REPORT_DIFF_DIFF_TEXT_H
#define REPORT_DIFF_DIFF_TEXT_H

#include <stdio.h>

#include "report/diff/diff.h"
#include "report/views/export_options.h"

/* 0 or -errno of the stream. */
int diff_write_text(FILE *out, const struct diff *diff, const struct export_options *options);

#endif
