#include "report/text/text_hottest.h"

#include <string.h>

#include "cct/base/printable.h"
#include "report/text/text_columns.h"
#include "report/text/text_format.h"

static const struct metric *sort_metric(const struct text *text)
{
	return &text->view->profile->metrics[text->view->options.sort_metric];
}

static double share(const struct text *text, const struct hottest_row *row)
{
	return text_percent(row->cost, text->view->root->total[text->view->options.sort_metric]);
}

/* The rows that reach the threshold. */
static unsigned n_shown(const struct text *text, const struct hottest_row *rows, unsigned n)
{
	while (n && share(text, &rows[n - 1]) < text->options->min_percent)
		n--;
	return n;
}

static void write_heading(const struct text *text, const char *share_heading, const char *heading,
			  bool has_module)
{
	int width = (int)text->number_width - 1, name_width = (int)text->name_width;
	unsigned metric_width = text->output.width / 3;

	fprintf(text->output.file, "%*s", (int)text_answer_indent(text), "");
	text_style_begin(&text->output, STYLE_HEADING);
	name_width -= fprintf(text->output.file, "%*s %*s  %s", width, share_heading, width,
			      text_value_heading(sort_metric(text)->unit), heading) -
		      2 * width - 3;
	if (text->view->profile->n_metrics > 1) {
		fputs(" by ", text->output.file);
		name_width -= (int)strlen(" by ");
		name_width -= (int)printable_write(text->output.file, sort_metric(text)->name,
						   metric_width, text->output.utf8);
	}
	if (has_module && text->module_width)
		fprintf(text->output.file, "%*s  module", name_width > 0 ? name_width : 0, "");
	text_style_end(&text->output, STYLE_HEADING);
	putc('\n', text->output.file);
}

static void write_row(const struct text *text, const struct hottest_row *row)
{
	fprintf(text->output.file, "%*s", (int)text_answer_indent(text), "");
	text_write_share(text, share(text, row));
	text_write_value(text, row->cost, sort_metric(text)->unit);
	putc(' ', text->output.file);
	text_write_title(text, &row->row, &row->row, 0);
}

static void write_table(const struct text *text, const char *share_heading, const char *heading,
			const struct hottest_row *rows, unsigned n)
{
	if (!n)
		return;
	write_heading(text, share_heading, heading, *rows->row.module);
	for (unsigned i = 0; i < n; i++)
		write_row(text, &rows[i]);
	putc('\n', text->output.file);
}

static void measure_rows(struct text *text, const struct hottest_row *rows, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		text_measure(text, text_title_width(text, &rows[i].row, &rows[i].row),
			     &rows[i].row);
}

void text_hottest_measure(struct text *text)
{
	const struct hottest *hottest = &text->hottest;

	measure_rows(text, hottest->functions,
		     n_shown(text, hottest->functions, hottest->n_functions));
	measure_rows(text, hottest->processes,
		     n_shown(text, hottest->processes, hottest->n_processes));
}

void text_hottest_write(const struct text *text)
{
	const struct hottest *hottest = &text->hottest;

	write_table(text, "self", "hottest functions", hottest->functions,
		    n_shown(text, hottest->functions, hottest->n_functions));
	/* A single process is the first line of the tree. */
	if (hottest->n_processes > 1)
		write_table(text, "total", "largest processes", hottest->processes,
			    n_shown(text, hottest->processes, hottest->n_processes));
}
