/* Which parts of a view are written, and in which form. */
#ifndef REPORT_VIEWS_EXPORT_OPTIONS_H
#define REPORT_VIEWS_EXPORT_OPTIONS_H

#include "report/fold/ratio.h"
#include "report/selection/select_paths.h"

struct export_options {
	double min_percent; /* text only: rows below this share are summed up in one line */
	unsigned max_depth; /* 0: no limit */
	unsigned width;     /* columns of the terminal */
	bool is_width_free; /* text only: there is no terminal, so columns of errors widen it */
	bool color;
	bool values;     /* text only: the cost beside each share, not only for resources */
	bool full_names; /* text only: neither names nor lines are shortened */
	bool marks_few;  /* text only: shares of few samples have their errors */
	const struct ratio *ratios;
	uint32_t n_ratios;
	const struct selected_paths *selected; /* NULL: everything is shown */
	const char *source;                    /* the recording's name, for the header */
};

#endif
