#include "report/diff/diff_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "report/diff/diff_lines.h"
#include "report/diff/diff_names.h"
#include "report/diff/diff_values.h"
#include "report/terminal/text_output.h"
#include "report/text/text_format.h"

#define LABEL_WIDTH      12
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
/* A total that changed by more moves shares visibly. */
#define LARGE_TOTAL_CHANGE 0.05

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

static void write_label(const struct diff_page *page, const char *label)
{
	text_style_begin(&page->output, STYLE_DIM);
	fprintf(page->output.file, "%-*s", LABEL_WIDTH, label);
	text_style_end(&page->output, STYLE_DIM);
}

/* Words that fit the width, below each other. */
static void write_paragraph(const struct diff_page *page, const char *label, const char *text)
{
	unsigned room = page->output.width - LABEL_WIDTH;

	for (; *text; label = "") {
		size_t size = strlen(text), end = size;

		if (size > room) {
			for (end = room; end && text[end] != ' ';)
				end--;
			end = end ? end : room;
		}
		write_label(page, label);
		fprintf(page->output.file, "%.*s\n", (int)end, text);
		text += end;
		text += strspn(text, " ");
	}
}

static void write_sources(const struct diff_page *page, enum diff_side side, const char *label)
{
	const struct diff *diff = page->diff;

	for (size_t i = 0; i < diff->rows.n_runs; i++) {
		const struct diff_source *source = &diff->sources[i];
		char duration[64] = "";

		if (source->side != side)
			continue;
		write_label(page, label);
		printable_write(page->output.file, source->path, page->output.width / 2,
				page->output.utf8);
		if (source->duration_ns)
			text_format_amount(duration, sizeof(duration), source->duration_ns, "ns");
		fprintf(page->output.file, "%s%s: %" PRIu64 " samples\n", *duration ? ", " : "",
			duration, diff->rows.metrics[0].runs[i].cost.samples);
		label = "";
	}
}

/* What the numbers are. */
static void write_meaning(const struct diff_page *page)
{
	const struct diff_options *options = &page->diff->options;
	const char *cost = options->measure == DIFF_SELF ? "self cost" : "total cost";
	char text[512];

	switch (options->norm) {
	case DIFF_BY_TOTAL:
		snprintf(text, sizeof(text),
			 "%s as a share of the run's; changes in percentage points", cost);
		break;
	case DIFF_BY_SAMPLES:
		snprintf(text, sizeof(text),
			 "samples as a share of the run's, %s; changes in percentage points", cost);
		break;
	case DIFF_BY_TIME:
		snprintf(text, sizeof(text), "%s per second of the run", cost);
		break;
	case DIFF_BY_METRIC:
		snprintf(text, sizeof(text), "%s divided by the cost of %.200s", cost,
			 options->per);
		break;
	case DIFF_BY_NUMBER:
		snprintf(text, sizeof(text), "%s divided by the number of %.200s", cost,
			 options->per);
		break;
	}
	write_paragraph(page, "values", text);
}

/* "EVENT: " where there are several. */
static void name_event(const struct diff *diff, size_t metric, char *text, size_t size)
{
	text[0] = '\0';
	if (diff->rows.n_metrics > 1)
		snprintf(text, size, "%.100s: ", diff->options.metrics[metric].event);
}

static void write_total(const struct diff_page *page, size_t metric)
{
	const struct diff *diff = page->diff;
	const struct diff_change *total = &diff->changes[metric].total;
	const char *unit = diff_has_shares(diff) ? diff->options.metrics[metric].unit
						 : diff_unit(diff, metric);
	char before[DIFF_VALUE_SIZE], after[DIFF_VALUE_SIZE], relative[DIFF_VALUE_SIZE];
	char event[128], text[384];

	if (diff->options.norm == DIFF_BY_SAMPLES)
		unit = "events";
	name_event(diff, metric, event, sizeof(event));
	diff_format_cost(before, total->result.values[DIFF_BEFORE], unit);
	diff_format_cost(after, total->result.values[DIFF_AFTER], unit);
	diff_format_relative(relative, total);
	snprintf(text, sizeof(text), "%s%s before, %s after: %s%s", event, before, after, relative,
		 diff_change_is_significant(total) ? "" : ", no more than by chance");
	write_paragraph(page, metric ? "" : "total", text);
}

static bool total_moved(const struct diff *diff, size_t metric)
{
	const struct diff_change *total = &diff->changes[metric].total;
	double relative = diff_relative(total);

	return isnan(relative) ||
	       (diff_change_is_significant(total) && fabs(relative) > LARGE_TOTAL_CHANGE);
}

static bool a_total_moved(const struct diff *diff)
{
	for (size_t i = 0; i < diff->rows.n_metrics; i++) {
		if (total_moved(diff, i))
			return true;
	}
	return false;
}

static void write_advice(const struct diff_page *page)
{
	const struct diff *diff = page->diff;

	if (diff->rows.n_runs <= N_DIFF_SIDES)
		write_paragraph(
			page, "errors",
			"of sampling alone, as there is one run a side: equal runs vary 1.5 "
			"times as much on average, up to 3.5 times. Several runs measure it: "
			"dendro diff A1 A2 A3 -- B1 B2 B3");
	else
		write_paragraph(page, "errors", "of sampling, or between runs where that is more");
	if (diff_has_shares(diff) && a_total_moved(diff))
		write_paragraph(
			page, "note",
			"the totals differ. Rows whose shares moved for this reason alone are not "
			"marked. If the runs did different amounts of work, say how much, as in "
			"--per requests=N,M, or use --normalize time.");
}

static void write_event(const struct diff_page *page, size_t metric)
{
	const char *event = page->diff->options.metrics[metric].event;

	write_label(page, metric ? "" : page->diff->rows.n_metrics > 1 ? "events" : "event");
	printable_write(page->output.file, event, page->output.width - LABEL_WIDTH,
			page->output.utf8);
	if (metric >= page->n_metrics)
		fputs(" (no room for its columns)", page->output.file);
	putc('\n', page->output.file);
}

static void write_header(const struct diff_page *page)
{
	write_sources(page, DIFF_BEFORE, "before");
	write_sources(page, DIFF_AFTER, "after");
	for (size_t i = 0; i < page->diff->rows.n_metrics; i++)
		write_event(page, i);
	write_meaning(page);
	for (size_t i = 0; i < page->diff->rows.n_metrics; i++)
		write_total(page, i);
	write_advice(page);
	putc('\n', page->output.file);
}

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
	    page->diff->options.view == VIEW_MODULES)
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

static void write_name(const struct diff_page *page, size_t at)
{
	const struct diff_row *row = &page->diff->rows.rows[page->rows[at]];
	unsigned written = 0;

	if (page->lines.lines)
		written = diff_lines_begin(&page->lines, at, &page->output);
	unsigned room = page->name_width > written ? page->name_width - written : 0;
	room -= printable_write(page->output.file, page->names.shown[at], room, page->output.utf8);
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
		write_header(&page);
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
