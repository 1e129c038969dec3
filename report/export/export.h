/*
 * The formats in which a view can be written: text for a terminal, JSON and CSV for programs
 * (docs/FORMAT.md).
 */
#ifndef REPORT_EXPORT_EXPORT_H
#define REPORT_EXPORT_EXPORT_H

#include <stdio.h>

#include "report/names/symbolize.h"
#include "report/views/export_options.h"
#include "report/views/view_rows.h"

struct export_format {
	const char *name; /* "text", "json", "csv" */
	/* 0 or -errno of the stream. */
	int (*write)(FILE *out, const struct view *view, struct symbolizer *symbolizer,
		     const struct export_options *options);
};

/* Finds a format by its name; NULL: unknown. */
const struct export_format *export_format_find(const char *name);
/* "text, json or csv". Heap; NULL without memory. */
char *export_format_names(void);

#endif
