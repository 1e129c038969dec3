/* The size and shape of a report's trees in JSON (docs/FORMAT.md). */
#ifndef REPORT_EXPORT_JSON_STATISTICS_H
#define REPORT_EXPORT_JSON_STATISTICS_H

#include <stdio.h>

#include "report/views/view_rows.h"

/* Writes "trees", without a comma after it. */
void json_write_statistics(FILE *out, const struct view *view);

#endif
