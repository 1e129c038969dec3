/*
 * What the parts of the text report share: what they write, where it goes, which metrics have
 * columns.
 */
#ifndef REPORT_TEXT_TEXT_H
#define REPORT_TEXT_TEXT_H

#include "report/names/symbolize.h"
#include "report/text/text_output.h"
#include "report/views/export_options.h"
#include "report/views/view_rows.h"

#define TEXT_MAX_METRICS 8
#define TEXT_MAX_RATIOS  4

struct text_names;

struct text {
	struct text_output output;
	const struct view *view;
	struct symbolizer *symbolizer;
	struct text_names *names; /* NULL: whole names */
	const struct export_options *options;
	/* Columns of numbers, of each metric that has some. */
	uint32_t metrics[TEXT_MAX_METRICS];
	uint32_t n_metrics;
	uint32_t n_ratios; /* of the options', the first ones: columns behind those of metrics */
	unsigned number_width; /* of a share, with the space behind it */
	bool show_self, show_total, show_samples;
	unsigned name_width, module_width; /* module_width 0: no such column */
	unsigned line_width;               /* VIEW_LINES: of the column before the name, its part */
	bool rows_hidden;                  /* rows are missing that no line sums up */
};

#endif
