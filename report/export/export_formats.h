/* The formats behind export_format_find(), and what they share. */
#ifndef REPORT_EXPORT_EXPORT_FORMATS_H
#define REPORT_EXPORT_EXPORT_FORMATS_H

#include "report/export/export.h"

typedef int export_function(FILE *out, const struct view *view, struct symbolizer *symbolizer,
			    const struct export_options *options);
export_function export_text, export_json, export_csv;

/* Flushes. 0 or -errno of anything that went wrong on the stream. */
int export_finish(FILE *out);

static inline bool view_is_flat(const struct view *view)
{
	return view->options.kind != VIEW_TREE && view->options.kind != VIEW_CALLERS;
}

#endif
