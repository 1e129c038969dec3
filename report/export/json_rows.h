/* The rows of a report in JSON, and the nodes of its tree (docs/FORMAT.md). */
#ifndef REPORT_EXPORT_JSON_ROWS_H
#define REPORT_EXPORT_JSON_ROWS_H

#include <stdio.h>

#include "report/views/export_options.h"
#include "report/views/view_rows.h"

/* Writes an array of costs, one for each of @n metrics. */
void json_write_costs(FILE *out, const uint64_t *costs, uint32_t n);
/* Writes "rows" of a flat view or a call graph, without a comma after it. */
void json_write_rows(FILE *out, const struct view *view, const struct export_options *options);
/* Writes "cycles" of a call graph, with a comma before it. */
void json_write_cycles(FILE *out, const struct view *view);
/* Writes "frames" and "nodes" of a tree, likewise. 0 or -ENOMEM. */
int json_write_nodes(FILE *out, const struct view *view, const struct export_options *options);

#endif
