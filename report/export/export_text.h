/* Writes a report for people: header, table or tree, and footer. */
#ifndef REPORT_EXPORT_EXPORT_TEXT_H
#define REPORT_EXPORT_EXPORT_TEXT_H

#include <stdio.h>

#include "report/names/symbolize.h"
#include "report/views/export_options.h"
#include "report/views/view_rows.h"

/* 0 or -errno: of the stream, or -ENOMEM. */
int export_text(FILE *out, const struct view *view, struct symbolizer *symbolizer,
		const struct export_options *options);

#endif
