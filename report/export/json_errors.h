/* The errors of a row's costs in JSON. */
#ifndef REPORT_EXPORT_JSON_ERRORS_H
#define REPORT_EXPORT_JSON_ERRORS_H

#include <stdio.h>

#include "report/views/view_rows.h"

/*
 * Writes "self_error", "self_range", "total_error" and "total_range" of a view with errors, each
 * with a comma before it, except the first, which has @before; null where a metric has no cost.
 */
void json_write_errors(FILE *out, const char *before, const struct view *view,
		       const struct view_row *row);

#endif
