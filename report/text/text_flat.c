#include "report/text/text_flat.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "cct/base/printable.h"
#include "report/names/source_paths.h"
#include "report/text/text_columns.h"

/* A column before the names has a third of the width at most. */
#define CELL_MIN_WIDTH 16
#define CELL_SPACE     2
#define NAME_MIN_WIDTH 12 /* beside several columns */
#define NO_LINE        "[no line]"
#define NO_TASK        "[unknown]"
#define NO_CPU         "?"

static const char *name_heading(const struct text *text)
{
	const struct view_options *options = &text->view->options;

	if (options->kind == VIEW_PROCESSES && options->grouping == GROUP_THREAD)
		return "process, thread";
	return view_traits(options->kind)->heading;
}

static unsigned max_cell_width(const struct text *text)
{
	return text->output.width / 3 > CELL_MIN_WIDTH ? text->output.width / 3 : CELL_MIN_WIDTH;
}

/* "dir/file.c:12", with the end of the path that fits the column. */
static void format_line(const struct text *text, const struct view_row *row, char *buffer,
			size_t size)
{
	static const char cut_mark[] = ".../";
	size_t max_size = max_cell_width(text) - strlen(":12345") - strlen(cut_mark);
	const char *tail;

	if (!row->file) {
		snprintf(buffer, size, "%s", NO_LINE);
		return;
	}
	tail = source_path_tail(row->file, max_size);
	snprintf(buffer, size, "%s%s:%" PRIu32, tail == row->file ? "" : cut_mark, tail, row->line);
}

/* "make", "make (pid 12)", "make/worker (tid 13)" */
static void format_task(const struct row_whose *whose, char *buffer, size_t size)
{
	const char *process = whose->process ? whose->process : NO_TASK;

	if (whose->thread && strcmp(whose->thread, process) != 0)
		snprintf(buffer, size, "%s/%s (tid %" PRId32 ")", process, whose->thread,
			 whose->tid);
	else if (whose->thread)
		snprintf(buffer, size, "%s (tid %" PRId32 ")", process, whose->tid);
	else if (whose->pid >= 0)
		snprintf(buffer, size, "%s (pid %" PRId32 ")", process, whose->pid);
	else
		snprintf(buffer, size, "%s", process);
}

static void format_cell(const struct text *text, const struct view_row *row, enum text_cell cell,
			char *buffer, size_t size)
{
	if (cell == CELL_LINE)
		format_line(text, row, buffer, size);
	else if (cell == CELL_TASK)
		format_task(row->whose, buffer, size);
	else if (row->whose->cpu >= 0)
		snprintf(buffer, size, "%" PRId32, row->whose->cpu);
	else
		snprintf(buffer, size, "%s", NO_CPU);
}

static bool has_cell(const struct text *text, enum text_cell cell)
{
	const struct view_options *options = &text->view->options;

	if (cell == CELL_LINE)
		return options->kind == VIEW_LINES;
	return cell == CELL_TASK ? options->each_task : options->each_cpu;
}

static const char *cell_heading(const struct text *text, enum text_cell cell)
{
	if (cell == CELL_LINE)
		return "line";
	if (cell == CELL_CPU)
		return "CPU";
	return text->view->options.grouping == GROUP_THREAD ? "thread" : "process";
}

static void widen_cell(struct text *text, enum text_cell cell, const char *content)
{
	unsigned width = printable_width(content, text->output.utf8);

	if (width > max_cell_width(text))
		width = max_cell_width(text);
	if (width > text->cell_widths[cell])
		text->cell_widths[cell] = width;
}

static void write_cell(const struct text *text, const struct view_row *row, enum text_cell cell)
{
	const bool is_dim = cell == CELL_LINE && !row->file;
	char content[PATH_MAX];

	format_cell(text, row, cell, content, sizeof(content));
	text_style_begin(&text->output, is_dim ? STYLE_DIM : STYLE_PLAIN);
	unsigned written = printable_write(text->output.file, content, text->cell_widths[cell],
					   text->output.utf8);
	text_style_end(&text->output, is_dim ? STYLE_DIM : STYLE_PLAIN);
	fprintf(text->output.file, "%*s", (int)(text->cell_widths[cell] - written + CELL_SPACE),
		"");
}

static void write_title(const struct text *text, const struct view_row *row)
{
	for (int cell = 0; cell < N_TEXT_CELLS; cell++) {
		if (has_cell(text, (enum text_cell)cell))
			write_cell(text, row, (enum text_cell)cell);
	}
	text_write_title(text, row, row, text->cells_width);
}

static void measure_cells(struct text *text, const struct view_row *row)
{
	for (int cell = 0; cell < N_TEXT_CELLS; cell++) {
		char content[PATH_MAX];

		if (!has_cell(text, (enum text_cell)cell))
			continue;
		format_cell(text, row, (enum text_cell)cell, content, sizeof(content));
		widen_cell(text, (enum text_cell)cell, content);
	}
}

/* Several columns leave room for names. */
static void shrink_cells(struct text *text)
{
	const unsigned used = text_numbers_width(text) + NAME_MIN_WIDTH;
	const unsigned room = text->output.width > used ? text->output.width - used : 0;

	while (text->cells_width > room) {
		enum text_cell widest = text->cell_widths[CELL_LINE] > text->cell_widths[CELL_TASK]
						? CELL_LINE
						: CELL_TASK;

		if (text->cell_widths[widest] <= CELL_MIN_WIDTH / 2)
			return;
		text->cell_widths[widest]--;
		text->cells_width--;
	}
}

static void measure_rows(struct text *text)
{
	for (int cell = 0; cell < N_TEXT_CELLS; cell++) {
		if (has_cell(text, (enum text_cell)cell) && cell != CELL_LINE)
			widen_cell(text, (enum text_cell)cell,
				   cell_heading(text, (enum text_cell)cell));
	}
	for (const struct view_row *row = text->view->root->children; row; row = row->next) {
		if (!text_is_visible(text, row))
			continue;
		measure_cells(text, row);
		text_measure(text, text_title_width(text, row, row), row);
	}
	for (int cell = 0; cell < N_TEXT_CELLS; cell++) {
		if (has_cell(text, (enum text_cell)cell))
			text->cells_width += text->cell_widths[cell] + CELL_SPACE;
	}
	if (view_is_split(text->view))
		shrink_cells(text);
	text->name_width += text->cells_width;
}

static void write_heading(const struct text *text)
{
	char heading[PATH_MAX];
	int at = 0;

	for (int cell = 0; cell < N_TEXT_CELLS; cell++) {
		if (has_cell(text, (enum text_cell)cell))
			at += snprintf(heading + at, sizeof(heading) - (size_t)at, "%-*s",
				       (int)(text->cell_widths[cell] + CELL_SPACE),
				       cell_heading(text, (enum text_cell)cell));
	}
	snprintf(heading + at, sizeof(heading) - (size_t)at, "%s", name_heading(text));
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
