#include "report/diff/diff_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "report/diff/diff_header.h"
#include "report/diff/diff_lines.h"
#include "report/diff/diff_names.h"
#include "report/diff/diff_values.h"
#include "report/terminal/text_output.h"

#define CHANGE_WIDTH     30 /* of three columns with the mark, and two spaces; of each metric */
#define ERROR_WIDTH      8
#define RELATIVE_WIDTH   9
#define SELF_WIDTH       10
#define MIN_NAME_WIDTH   20
#define MIN_TREE_WIDTH   32 /* of names in a tree */
#define MAX_MODULE_WIDTH 24
#define MIN_WIDTH        60
#define MAX_WIDTH        1000
#define LINE_WIDTH       96 /* of a sentence with numbers */
#define PLACE_GAP        2  /* between a place and its function */
#define MIN_CUT_WIDTH    8  /* of a function behind a place */

struct diff_page {
	struct text_output output;
	const struct diff *diff;
	const struct export_options *options;
	struct diff_names names;
	size_t *rows; /* that are written */
	size_t n_rows;
	struct diff_lines lines; /* of a tree */
	unsigned name_width, module_width;
	size_t n_metrics; /* that have columns */
	/* Columns of the first one; has_self: beside those of totals. */
	bool has_error, has_relative, has_self;
};

/* A row that moved by too little for the text is left out, unless it is significant. */
static bool is_large(const struct diff_page *page, size_t metric, size_t row)
{
	const struct diff *diff = page->diff;
	const struct diff_change *change = diff_change_at(diff, metric, row);
	const double *totals = diff->changes[metric].total.result.values;
	double whole = diff_has_shares(diff) ? 1 : fmax(totals[DIFF_BEFORE], totals[DIFF_AFTER]);
	double moved = fabs(diff_change_of(change));

	return diff_change_is_significant(change) ||
	       (moved > 0 && moved * 100 >= whole * page->options->min_percent);
}

/* A row whose total is what it was may have rows below it that moved. */
static bool has_moved(const struct diff_page *page, size_t row)
{
	const struct diff *diff = page->diff;
	const double *totals = diff->changes[0].total.result.values;
	double whole = diff_has_shares(diff) ? 1 : fmax(totals[DIFF_BEFORE], totals[DIFF_AFTER]);
	double moved = diff->tree.moved[row];

	return moved > 0 && moved * 100 >= whole * page->options->min_percent;
}

static bool is_shown(const struct diff_page *page, size_t row)
{
	for (size_t i = 0; i < page->n_metrics; i++) {
		if (is_large(page, i, row))
			return true;
	}
	return diff_is_tree(page->diff) && has_moved(page, row);
}

static int choose_rows(struct diff_page *page)
{
	const struct diff *diff = page->diff;
	_cleanup_free_ bool *shown = calloc(diff->rows.n_rows + 1, sizeof(*shown));

	page->rows = calloc(diff->n_shown + 1, sizeof(*page->rows));
	if (!page->rows || !shown)
		return -ENOMEM;
	for (size_t i = 0; i < diff->n_shown; i++)
		shown[diff->order[i]] = is_shown(page, diff->order[i]);
	diff_tree_mark_above(&diff->rows, shown);
	for (size_t i = 0; i < diff->n_shown; i++) {
		if (shown[diff->order[i]])
			page->rows[page->n_rows++] = diff->order[i];
	}
	return 0;
}

static unsigned first_width(const struct diff_page *page)
{
	return CHANGE_WIDTH + (page->has_error ? ERROR_WIDTH : 0) +
	       (page->has_relative ? RELATIVE_WIDTH : 0) + (page->has_self ? SELF_WIDTH : 0);
}

static unsigned numbers_width(const struct diff_page *page)
{
	return first_width(page) + (unsigned)(page->n_metrics - 1) * CHANGE_WIDTH;
}

static unsigned min_name_width(const struct diff_page *page)
{
	return diff_is_tree(page->diff) ? MIN_TREE_WIDTH : MIN_NAME_WIDTH;
}

static bool has_room(const struct diff_page *page)
{
	return numbers_width(page) + min_name_width(page) <= page->output.width;
}

/* As many as leave room for names. */
static void choose_columns(struct diff_page *page)
{
	page->n_metrics = page->diff->rows.n_metrics;
	page->has_error = page->has_relative = true;
	page->has_self =
		page->diff->options.view == VIEW_TREE && page->diff->options.measure == DIFF_TOTAL;
	while (page->n_metrics > 1 && !has_room(page))
		page->n_metrics--;
	page->has_relative &= has_room(page);
	page->has_error &= has_room(page);
	page->has_self &= has_room(page);
}

static void measure_names(struct diff_page *page)
{
	for (size_t i = 0; i < page->n_rows; i++) {
		const struct diff_row *row = &page->diff->rows.rows[page->rows[i]];
		unsigned name = printable_width(page->names.shown[i], page->output.utf8);
		unsigned module = printable_width(row->module, page->output.utf8);

		if (page->names.places[i])
			name += PLACE_GAP +
				printable_width(page->names.places[i], page->output.utf8);
		if (page->lines.lines)
			name += text_joints_width(page->lines.lines[i].indent,
						  page->lines.max_indent);
		page->name_width = name > page->name_width ? name : page->name_width;
		page->module_width = module > page->module_width ? module : page->module_width;
	}
}

static void lay_out(struct diff_page *page)
{
	unsigned width = page->output.width - numbers_width(page);
	unsigned min_width = strlen(diff_row_noun(page->diff));

	/* Half of the room is for names. */
	page->lines.max_indent = width / 2 / TEXT_JOINT_WIDTH;
	measure_names(page);
	if (page->module_width > MAX_MODULE_WIDTH)
		page->module_width = MAX_MODULE_WIDTH;
	if (width < min_name_width(page) + 2 + page->module_width ||
	    page->diff->options.view == VIEW_MODULES ||
	    (page->diff->options.view == VIEW_LINES &&
	     width < page->name_width + 2 + page->module_width))
		page->module_width = 0;
	if (page->module_width)
		width -= 2 + page->module_width;
	if (page->name_width > width)
		page->name_width = width;
	if (page->name_width < min_width)
		page->name_width = min_width;
}

/* Events above their columns. */
static void write_events(const struct diff_page *page)
{
	text_style_begin(&page->output, STYLE_HEADING);
	for (size_t i = 0; i < page->n_metrics; i++) {
		unsigned width = (i ? CHANGE_WIDTH : first_width(page)) - 2;
		unsigned written =
			printable_write(page->output.file, page->diff->options.metrics[i].event,
					width, page->output.utf8);

		if (i + 1 < page->n_metrics)
			fprintf(page->output.file, "%*s", (int)(width + 2 - written), "");
	}
	text_style_end(&page->output, STYLE_HEADING);
	putc('\n', page->output.file);
}

static void write_heading(const struct diff_page *page)
{
	if (page->n_metrics > 1)
		write_events(page);
	text_style_begin(&page->output, STYLE_HEADING);
	fprintf(page->output.file, "%8s %8s %8s", "before", "after", "change");
	if (page->has_error)
		fprintf(page->output.file, " %7s", "error");
	if (page->has_relative)
		fprintf(page->output.file, " %8s", "relative");
	fputs("    ", page->output.file);
	if (page->has_self)
		fprintf(page->output.file, "%8s  ", "self");
	for (size_t i = 1; i < page->n_metrics; i++)
		fprintf(page->output.file, "%8s %8s %8s    ", "before", "after", "change");
	if (page->module_width)
		fprintf(page->output.file, "%-*s  module", (int)page->name_width,
			diff_row_noun(page->diff));
	else
		fputs(diff_row_noun(page->diff), page->output.file);
	text_style_end(&page->output, STYLE_HEADING);
	putc('\n', page->output.file);
}

/* The values on both sides, and the change. */
static void write_change(const struct diff_page *page, size_t metric, size_t row)
{
	const struct diff *diff = page->diff;
	const struct diff_change *change = diff_change_at(diff, metric, row);
	const char *status = diff_row_status(diff, row);
	enum text_style style = diff_change_of(change) > 0 ? STYLE_HOT : STYLE_WARM;
	char before[DIFF_VALUE_SIZE], after[DIFF_VALUE_SIZE], moved[DIFF_VALUE_SIZE];

	if (!diff_change_is_significant(change))
		style = STYLE_PLAIN;
	diff_format_value(diff, metric, before, change->result.values[DIFF_BEFORE]);
	diff_format_value(diff, metric, after, change->result.values[DIFF_AFTER]);
	diff_format_change(diff, metric, moved, diff_change_of(change));
	fprintf(page->output.file, "%8s %8s ", *status == 'n' ? "-" : before,
		*status == 'g' ? "-" : after);
	text_style_begin(&page->output, style);
	fprintf(page->output.file, "%8s", moved);
	text_style_end(&page->output, style);
}

static char mark_of(const struct diff_change *change)
{
	return diff_change_is_significant(change) ? '*' : ' ';
}

/* The change of a row's own cost, beside that of its total. */
static void write_self(const struct diff_page *page, size_t row)
{
	const struct diff_change *change = &page->diff->changes[0].rows[DIFF_SELF][row];
	char moved[DIFF_VALUE_SIZE] = "";

	if (diff_change_of(change) != 0)
		diff_format_change(page->diff, 0, moved, diff_change_of(change));
	fprintf(page->output.file, "%8s  ", moved);
}

static void write_numbers(const struct diff_page *page, size_t row)
{
	const struct diff *diff = page->diff;
	const struct diff_change *change = diff_change_at(diff, 0, row);
	const char *status = diff_row_status(diff, row);
	char error[DIFF_VALUE_SIZE], relative[DIFF_VALUE_SIZE];

	write_change(page, 0, row);
	diff_format_error(diff, 0, error, change->result.error);
	diff_format_relative(relative, change);
	if (page->has_error)
		fprintf(page->output.file, " %7s", error);
	if (page->has_relative)
		fprintf(page->output.file, " %8s", *status ? status : relative);
	fprintf(page->output.file, " %c  ", mark_of(change));
	if (page->has_self)
		write_self(page, row);
	for (size_t i = 1; i < page->n_metrics; i++) {
		write_change(page, i, row);
		fprintf(page->output.file, " %c  ", mark_of(diff_change_at(diff, i, row)));
	}
}

/*
 * A place is what tells lines of a function apart: the function is cut first, or left out. Returns
 * how much of the room is left.
 */
static unsigned write_shown(const struct diff_page *page, size_t at, unsigned room)
{
	const char *place = page->names.places[at];

	if (place) {
		room -= printable_write(page->output.file, place, room, page->output.utf8);
		if (room < PLACE_GAP + MIN_CUT_WIDTH)
			return room;
		room -= (unsigned)fprintf(page->output.file, "%*s", PLACE_GAP, "");
	}
	return room -
	       printable_write(page->output.file, page->names.shown[at], room, page->output.utf8);
}

static void write_name(const struct diff_page *page, size_t at)
{
	const struct diff_row *row = &page->diff->rows.rows[page->rows[at]];
	unsigned written = 0;

	if (page->lines.lines)
		written = diff_lines_begin(&page->lines, at, &page->output);
	unsigned room = page->name_width > written ? page->name_width - written : 0;
	room = write_shown(page, at, room);
	if (page->module_width && *row->module) {
		fprintf(page->output.file, "%*s  ", (int)room, "");
		text_style_begin(&page->output, STYLE_DIM);
		printable_write(page->output.file, row->module, page->module_width,
				page->output.utf8);
		text_style_end(&page->output, STYLE_DIM);
	}
	putc('\n', page->output.file);
}

static void write_rows(const struct diff_page *page)
{
	for (size_t i = 0; i < page->n_rows; i++) {
		write_numbers(page, page->rows[i]);
		write_name(page, i);
	}
}

static void write_significant(const struct diff_page *page)
{
	const struct diff *diff = page->diff;
	const size_t n = diff->changes[0].n_significant;

	if (n)
		fprintf(page->output.file,
			"* moved by more than chance: %zu of %zu,%sat most 5 %% of them falsely on "
			"average.\n",
			n, diff->rows.n_rows, page->output.width < LINE_WIDTH ? "\n" : " ");
	else
		fprintf(page->output.file, "No %s moved by more than chance.\n",
			diff_row_noun(diff));
}

static void write_significant_of_events(const struct diff_page *page)
{
	const struct diff *diff = page->diff;
	size_t n = 0;

	for (size_t i = 0; i < page->n_metrics; i++) {
		fputs("* ", page->output.file);
		printable_write(page->output.file, diff->options.metrics[i].event,
				page->output.width / 2, page->output.utf8);
		fprintf(page->output.file, ": %zu of %zu moved by more than chance.\n",
			diff->changes[i].n_significant, diff->rows.n_rows);
		n += diff->changes[i].n_significant;
	}
	if (n)
		fputs("Of each event's stars, at most 5 % are false on average.\n",
		      page->output.file);
}

static void write_sums(const struct diff_page *page)
{
	const struct diff *diff = page->diff;

	if (page->n_rows)
		putc('\n', page->output.file);
	if (page->n_rows < diff->n_shown && page->options->min_percent > 0)
		fprintf(page->output.file, "%zu more changed by less than %g %% (--min).\n",
			diff->n_shown - page->n_rows, page->options->min_percent);
	if (page->n_metrics > 1)
		write_significant_of_events(page);
	else
		write_significant(page);
}

int diff_write_text(FILE *out, const struct diff *diff, const struct export_options *options)
{
	struct diff_page page = { .diff = diff, .options = options };
	unsigned width = options->width < MAX_WIDTH ? options->width : MAX_WIDTH;

	text_output_init(&page.output, out, options->color, width > MIN_WIDTH ? width : MIN_WIDTH);
	choose_columns(&page);
	int err = choose_rows(&page);
	if (!err)
		err = diff_names_init(&page.names, diff, page.rows, page.n_rows,
				      options->full_names);
	if (!err && diff_is_tree(diff))
		err = diff_lines_init(&page.lines, diff, page.rows, page.n_rows);
	if (!err) {
		diff_header_write(&page.output, diff, page.n_metrics);
		lay_out(&page);
		if (page.n_rows)
			write_heading(&page);
		write_rows(&page);
		write_sums(&page);
	}
	diff_lines_deinit(&page.lines);
	diff_names_deinit(&page.names);
	free(page.rows);
	return err ? err : stream_finish(out);
}
