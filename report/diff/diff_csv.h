/* A comparison as comma-separated values (RFC 4180), one line for each row (docs/FORMAT.md). */
#ifndef REPORT_DIFF_DIFF_CSV_H
#define REPORT_DIFF_DIFF_CSV_H

#include <stdio.h>

#include "report/diff/diff.h"
#include "report/views/export_options.h"

/* 0 or -errno of the stream. */
int diff_write_csv(FILE *out, const struct diff *diff, const struct export_options *options);
/* The names of the columns, and a row's fields, without the end of the line. */
void diff_csv_write_heading(FILE *out, const struct diff *diff);
void diff_csv_write_row(FILE *out, const struct diff *diff, size_t row);
/* After a comma; nothing for NAN. */
void diff_csv_write_number(FILE *out, double value);

#endif
