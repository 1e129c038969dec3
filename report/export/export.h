/* A view -> bytes: text for a terminal, JSON and CSV for programs (docs/FORMAT.md). */
#ifndef REPORT_EXPORT_EXPORT_H
#define REPORT_EXPORT_EXPORT_H

#include <stdio.h>

#include "report/views/ratio.h"
#include "report/views/view.h"

struct export_options {
	double min_percent; /* text only: rows below are summed up in one line */
	unsigned max_depth; /* 0: all */
	unsigned width;     /* columns of the terminal */
	bool color;
	bool full_names; /* text only: names are not shortened, and lines as long as they get */
	const struct ratio *ratios;
	uint32_t n_ratios;
	const char *source; /* the recording's name, for the header */
};

struct export_format {
	const char *name; /* "text", "json", "csv" */
	/* 0 or -errno of the stream. */
	int (*write)(FILE *out, const struct view *view, struct symbolizer *symbolizer,
		     const struct export_options *options);
};

/* By name; NULL: none such. */
const struct export_format *export_format_find(const char *name);

#endif
