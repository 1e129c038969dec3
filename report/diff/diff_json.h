/* A comparison for programs (docs/FORMAT.md). */
#ifndef REPORT_DIFF_DIFF_JSON_H
#define REPORT_DIFF_DIFF_JSON_H

#include <stdio.h>

#include "report/diff/diff.h"
#include "report/views/export_options.h"

/* Becomes higher when a field is removed or renamed, or its meaning changes. */
#define DIFF_SCHEMA 1

/* One object. 0 or -errno of the stream. */
int diff_write_json(FILE *out, const struct diff *diff, const struct export_options *options);
/* Begins the object with the members that all views have. */
void diff_json_write_head(FILE *out, const struct diff *diff);
/* The members of a row. @written: where each row is in the list that is written; NULL: there is no
 * such list. */
void diff_json_write_row(FILE *out, const struct diff *diff, size_t at, const size_t *written);
/* A member after others; null for NAN. */
void diff_json_write_number(FILE *out, const char *key, double value);

#endif
