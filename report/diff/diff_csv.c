#include "report/diff/diff_csv.h"

#include <inttypes.h>
#include <math.h>

#include "cct/base/stream.h"
#include "report/export/csv_field.h"

/* An empty field for NAN. */
static void write_number(FILE *out, double value)
{
	putc(',', out);
	if (!isnan(value))
		fprintf(out, "%.9g", value);
}

static void write_change(FILE *out, const struct diff_change *change)
{
	write_number(out, change->result.values[DIFF_BEFORE]);
	write_number(out, change->result.values[DIFF_AFTER]);
	write_number(out, diff_change_of(change));
	write_number(out, diff_relative(change));
	write_number(out, change->result.error);
	write_number(out, change->result.p);
	write_number(out, change->q);
}

static void write_heading(FILE *out, const struct diff *diff)
{
	static const char *const measures[] = { "self", "total" };
	static const char *const columns[] = { "before", "after", "difference", "relative",
					       "error",  "p",     "q" };

	fputs("name,module,kind,", out);
	if (diff->options.view == VIEW_LINES)
		fputs("file,line,", out);
	fputs("status", out);
	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < sizeof(columns) / sizeof(columns[0]); j++)
			fprintf(out, ",%s %s", measures[i], columns[j]);
	}
	fputs(CSV_LINE_END, out);
}

static void write_row(FILE *out, const struct diff *diff, size_t at)
{
	const struct diff_row *row = &diff->rows.rows[at];

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
	fputs(diff_row_status(diff, at), out);
	for (int i = 0; i < N_DIFF_MEASURES; i++)
		write_change(out, &diff->changes[0].rows[i][at]);
	fputs(CSV_LINE_END, out);
}

int diff_write_csv(FILE *out, const struct diff *diff, const struct export_options *options)
{
	(void)options;
	write_heading(out, diff);
	for (size_t i = 0; i < diff->n_shown; i++)
		write_row(out, diff, diff->order[i]);
	return stream_finish(out);
}
