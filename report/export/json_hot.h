/* The classes of hot functions and contexts in JSON (docs/FORMAT.md). */
#ifndef REPORT_EXPORT_JSON_HOT_H
#define REPORT_EXPORT_JSON_HOT_H

#include <stdio.h>

#include "report/views/view_rows.h"

/* Writes "hot" and "contexts", with a comma before each. */
void json_write_hot(FILE *out, const struct view *view);

#endif
