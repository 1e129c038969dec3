#include "report/text/text_flat.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "cct/base/printable.h"
#include "report/names/source_paths.h"
#include "report/text/text_columns.h"

/* Source lines have a separate column, at most a third of the width. */
#define LINE_MIN_WIDTH 16
#define LINE_SPACE     2
#define NO_LINE        "[no line]"

static const char *name_heading(const struct text *text)
{
	const struct view_options *options = &text->view->options;

	if (options->kind == VIEW_PROCESSES && options->grouping == GROUP_THREAD)
		return "process, thread";
	return view_traits(options->kind)->heading;
}

static unsigned max_line_width(const struct text *text)
{
	return text->output.width / 3 > LINE_MIN_WIDTH ? text->output.width / 3 : LINE_MIN_WIDTH;
}

/* "dir/file.c:12", with the end of the path that fits the column. */
static void format_line(const struct text *text, const struct view_row *row, char *buffer,
			size_t size)
{
	static const char cut_mark[] = ".../";
	size_t max_size = max_line_width(text) - strlen(":12345") - strlen(cut_mark);
	const char *tail;

	if (!row->file) {
		snprintf(buffer, size, "%s", NO_LINE);
		return;
	}
	tail = source_path_tail(row->file, max_size);
	snprintf(buffer, size, "%s%s:%" PRIu32, tail == row->file ? "" : cut_mark, tail, row->line);
}

static void measure_line(struct text *text, const struct view_row *row)
{
	char line[PATH_MAX];
	unsigned width;

	format_line(text, row, line, sizeof(line));
	width = printable_width(line, text->output.utf8);
	if (width > max_line_width(text))
		width = max_line_width(text);
	if (width > text->line_width)
		text->line_width = width;
}

static void write_line(const struct text *text, const struct view_row *row)
{
	char line[PATH_MAX];
	unsigned written;

	format_line(text, row, line, sizeof(line));
	text_style_begin(&text->output, row->file ? STYLE_PLAIN : STYLE_DIM);
	written = printable_write(text->output.file, line, text->line_width, text->output.utf8);
	text_style_end(&text->output, row->file ? STYLE_PLAIN : STYLE_DIM);
	fprintf(text->output.file, "%*s", (int)(text->line_width - written + LINE_SPACE), "");
}

static void write_title(const struct text *text, const struct view_row *row)
{
	bool has_line = text->view->options.kind == VIEW_LINES;

	if (has_line)
		write_line(text, row);
	text_write_title(text, row, row, has_line ? text->line_width + LINE_SPACE : 0);
}

static void measure_rows(struct text *text)
{
	bool has_line = text->view->options.kind == VIEW_LINES;

	for (const struct view_row *row = text->view->root->children; row; row = row->next) {
		if (!text_is_visible(text, row))
			continue;
		if (has_line)
			measure_line(text, row);
		text_measure(text, text_title_width(text, row, row), row);
	}
	if (has_line)
		text->name_width += text->line_width + LINE_SPACE;
}

static void write_heading(const struct text *text)
{
	char heading[PATH_MAX];

	if (text->view->options.kind != VIEW_LINES) {
		text_write_columns_heading(text, name_heading(text));
		return;
	}
	snprintf(heading, sizeof(heading), "%-*s%s", (int)(text->line_width + LINE_SPACE), "line",
		 name_heading(text));
	text_write_columns_heading(text, heading);
}

void text_flat_write(struct text *text)
{
	const struct view_row *first = text->view->root->children;
	struct text_sums more = { .n_rows = 0 };

	measure_rows(text);
	if (text->view->options.kind == VIEW_MODULES)
		text->module_width = 0;
	text_lay_out(text);
	write_heading(text);
	for (const struct view_row *row = first; row; row = row->next) {
		if (!text_is_visible(text, row)) {
			text_sums_add(text, &more, row);
			continue;
		}
		text_write_numbers(text, row, NULL);
		write_title(text, row);
	}
	if (!more.n_rows)
		return;
	/* Inclusive costs of several functions overlap, so no sum of them is shown. */
	for (uint32_t i = 0; text->show_self && i < text->n_metrics; i++)
		more.total[i] = more.samples[i] = 0;
	for (uint32_t i = 0; text->show_self && i < text->n_ratios; i++)
		more.ratio_total[i][1] = 0;
	text_write_numbers(text, NULL, &more);
	text_write_more(text, &more);
}
