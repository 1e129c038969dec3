/* What of a view is written, and how. */
#ifndef REPORT_VIEWS_EXPORT_OPTIONS_H
#define REPORT_VIEWS_EXPORT_OPTIONS_H

#include "report/views/ratio.h"

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

#endif
