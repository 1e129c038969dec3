#include "report/diff/diff_csv.h"

#include <inttypes.h>
#include <math.h>

#include "cct/base/stream.h"
#include "report/diff/diff_names.h"
#include "report/export/csv_field.h"

/* An empty field for NAN. */
void diff_csv_write_number(FILE *out, double value)
{
	putc(',', out);
	if (!isnan(value))
		fprintf(out, "%.9g", value);
}

static void write_change(FILE *out, const struct diff_change *change)
{
	diff_csv_write_number(out, change->result.values[DIFF_BEFORE]);
	diff_csv_write_number(out, change->result.values[DIFF_AFTER]);
	diff_csv_write_number(out, diff_change_of(change));
	diff_csv_write_number(out, diff_relative(change));
	diff_csv_write_number(out, change->result.error);
	diff_csv_write_number(out, change->result.p);
	diff_csv_write_number(out, change->q);
}

/* Those of further metrics begin with the event. */
static void write_headings_of_costs(FILE *out, const struct diff *diff, size_t metric)
{
	static const char *const columns[] = {
		"self before", "self after",       "self difference", "self relative",
		"self error",  "self p",           "self q",          "total before",
		"total after", "total difference", "total relative",  "total error",
		"total p",     "total q",
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		char column[64];

		putc(',', out);
		snprintf(column, sizeof(column), " %s", columns[i]);
		if (metric)
			csv_write_field(out, diff->options.metrics[metric].event, column);
		else
			fputs(columns[i], out);
	}
}

void diff_csv_write_heading(FILE *out, const struct diff *diff)
{
	fputs(diff_is_tree(diff) ? "depth,name,module,kind," : "name,module,kind,", out);
	if (diff->options.view == VIEW_LINES)
		fputs("file,line,", out);
	if (diff->options.view == VIEW_CALLGRAPH)
		fputs("arc,", out);
	fputs("status", out);
	for (size_t i = 0; i < diff->rows.n_metrics; i++)
		write_headings_of_costs(out, diff, i);
}

void diff_csv_write_row(FILE *out, const struct diff *diff, size_t at)
{
	const struct diff_row *row = &diff->rows.rows[at];

	if (diff_is_tree(diff))
		fprintf(out, "%" PRIu32 ",", diff->tree.depth[at] + 1);
	csv_write_field(out, row->name, "");
	putc(',', out);
	csv_write_field(out, row->module, "");
	fprintf(out, ",%s,", view_row_kind_name(row->kind));
	if (diff->options.view == VIEW_LINES && row->file) {
		csv_write_field(out, row->file, "");
		fprintf(out, ",%" PRIu32 ",", row->line);
	} else if (diff->options.view == VIEW_LINES) {
		fputs(",,", out);
	}
	if (diff->options.view == VIEW_CALLGRAPH)
		fprintf(out, "%s,", diff_arc_name(row->arc));
	fputs(diff_row_status(diff, at), out);
	for (size_t i = 0; i < diff->rows.n_metrics; i++) {
		for (int j = 0; j < N_DIFF_MEASURES; j++)
			write_change(out, &diff->changes[i].rows[j][at]);
	}
}

int diff_write_csv(FILE *out, const struct diff *diff, const struct export_options *options)
{
	(void)options;
	diff_csv_write_heading(out, diff);
	fputs(CSV_LINE_END, out);
	for (size_t i = 0; i < diff->n_shown; i++) {
		diff_csv_write_row(out, diff, diff->order[i]);
		fputs(CSV_LINE_END, out);
	}
	return stream_finish(out);
}
