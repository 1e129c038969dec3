/*
 * State shared by the parts of the text report: the view to write, the output stream, and the
 * metrics that have columns.
 */
#ifndef REPORT_TEXT_TEXT_H
#define REPORT_TEXT_TEXT_H

#include "report/findings/hottest.h"
#include "report/findings/row_error.h"
#include "report/names/symbolize.h"
#include "report/terminal/text_output.h"
#include "report/views/export_options.h"
#include "report/views/view_rows.h"

#define TEXT_MAX_METRICS 8
#define TEXT_MAX_RATIOS  4

/* Columns before the names of flat views. */
enum text_cell { CELL_CPU, CELL_TASK, CELL_LINE, N_TEXT_CELLS };

struct text_names;

struct text {
	struct text_output output;
	const struct view *view;
	struct symbolizer *symbolizer;
	struct text_names *names; /* NULL: names are not shortened */
	const struct export_options *options;
	/* The metrics that have columns of numbers. */
	uint32_t metrics[TEXT_MAX_METRICS];
	uint32_t n_metrics;
	uint32_t n_ratios;     /* the first ratios of @options that have columns, after those of the
				  metrics */
	unsigned number_width; /* of a share, with the space after it */
	bool show_self, show_total, show_child, show_samples;
	bool has_errors[N_SHARE_KINDS]; /* a column after the share; by enum share_kind */
	bool show_values;               /* the cost beside each share of it */
	bool show_activations;
	bool show_waits; /* number, mean and longest of waits, of the one metric */
	unsigned name_width, module_width; /* module_width 0: no module column */
	unsigned index_width; /* VIEW_CALLGRAPH: of the column before the numbers; else 0 */
	/* Of flat views: columns before the name, 0: it is not there. All with the space between
	 * them, which is included in name_width: */
	unsigned cell_widths[N_TEXT_CELLS];
	unsigned cells_width;
	struct hottest hottest; /* VIEW_TREE: what is shown above it */
	bool rows_hidden;       /* some rows are left out without a line that sums them up */
};

#endif
