#include "report/diff/diff_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "report/diff/diff_names.h"
#include "report/diff/diff_values.h"
#include "report/text/text_format.h"
#include "report/text/text_output.h"

#define LABEL_WIDTH      12
#define NUMBERS_WIDTH    47 /* of five columns with the mark, and two spaces */
#define MIN_NAME_WIDTH   20
#define MAX_MODULE_WIDTH 24
#define MIN_WIDTH        72
#define MAX_WIDTH        1000
/* A total that changed by more moves shares visibly. */
#define LARGE_TOTAL_CHANGE 0.05

struct diff_page {
	struct text_output output;
	const struct diff *diff;
	const struct export_options *options;
	struct diff_names names;
	size_t *rows; /* that are written */
	size_t n_rows;
	unsigned name_width, module_width;
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

static void write_total(const struct diff_page *page)
{
	const struct diff *diff = page->diff;
	const struct diff_change *total = &diff->changes[0].total;
	const char *unit =
		diff_has_shares(diff) ? diff->options.metrics[0].unit : diff_unit(diff, 0);
	char before[DIFF_VALUE_SIZE], after[DIFF_VALUE_SIZE], relative[DIFF_VALUE_SIZE], text[256];

	if (diff->options.norm == DIFF_BY_SAMPLES)
		unit = "events";
	diff_format_cost(before, total->result.values[DIFF_BEFORE], unit);
	diff_format_cost(after, total->result.values[DIFF_AFTER], unit);
	diff_format_relative(relative, total);
	snprintf(text, sizeof(text), "%s before, %s after: %s%s", before, after, relative,
		 diff_change_is_significant(total) ? "" : ", no more than by chance");
	write_paragraph(page, "total", text);
}

static bool total_moved(const struct diff *diff)
{
	double relative = diff_relative(&diff->changes[0].total);

	return isnan(relative) || (diff_change_is_significant(&diff->changes[0].total) &&
				   fabs(relative) > LARGE_TOTAL_CHANGE);
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
	if (diff_has_shares(diff) && total_moved(diff))
		write_paragraph(
			page, "note",
			"the totals differ. Rows whose shares moved for this reason alone are not "
			"marked. If the runs did different amounts of work, say how much, as in "
			"--per requests=N,M, or use --normalize time.");
}

static void write_header(const struct diff_page *page)
{
	write_sources(page, DIFF_BEFORE, "before");
	write_sources(page, DIFF_AFTER, "after");
	write_label(page, "event");
	printable_write(page->output.file, page->diff->options.metrics[0].event,
			page->output.width - LABEL_WIDTH, page->output.utf8);
	putc('\n', page->output.file);
	write_meaning(page);
	write_total(page);
	write_advice(page);
	putc('\n', page->output.file);
}

/* A row that moved by too little for the text is left out, unless it is significant. */
static bool is_large(const struct diff_page *page, const struct diff_change *change)
{
	const double *totals = page->diff->changes[0].total.result.values;
	double whole =
		diff_has_shares(page->diff) ? 1 : fmax(totals[DIFF_BEFORE], totals[DIFF_AFTER]);
	double moved = fabs(diff_change_of(change));

	return moved > 0 && moved * 100 >= whole * page->options->min_percent;
}

static int choose_rows(struct diff_page *page)
{
	const struct diff *diff = page->diff;

	page->rows = calloc(diff->n_shown + 1, sizeof(*page->rows));
	if (!page->rows)
		return -ENOMEM;
	for (size_t i = 0; i < diff->n_shown; i++) {
		const struct diff_change *change = diff_change_at(diff, 0, diff->order[i]);

		if (is_large(page, change) || diff_change_is_significant(change))
			page->rows[page->n_rows++] = diff->order[i];
	}
	return 0;
}

static void lay_out(struct diff_page *page)
{
	unsigned width = page->output.width - NUMBERS_WIDTH;

	for (size_t i = 0; i < page->n_rows; i++) {
		const struct diff_row *row = &page->diff->rows.rows[page->rows[i]];
		unsigned name = printable_width(page->names.shown[i], page->output.utf8);
		unsigned module = printable_width(row->module, page->output.utf8);

		page->name_width = name > page->name_width ? name : page->name_width;
		page->module_width = module > page->module_width ? module : page->module_width;
	}
	if (page->module_width > MAX_MODULE_WIDTH)
		page->module_width = MAX_MODULE_WIDTH;
	if (width < MIN_NAME_WIDTH + 2 + page->module_width ||
	    page->diff->options.view == VIEW_MODULES)
		page->module_width = 0;
	if (page->module_width)
		width -= 2 + page->module_width;
	if (page->name_width > width)
		page->name_width = width;
	if (page->name_width < strlen("function"))
		page->name_width = (unsigned)strlen("function");
}

static void write_heading(const struct diff_page *page)
{
	text_style_begin(&page->output, STYLE_HEADING);
	fprintf(page->output.file, "%8s %8s %8s %7s %8s    ", "before", "after", "change", "error",
		"relative");
	if (page->module_width)
		fprintf(page->output.file, "%-*s  module", (int)page->name_width,
			diff_row_noun(page->diff));
	else
		fputs(diff_row_noun(page->diff), page->output.file);
	text_style_end(&page->output, STYLE_HEADING);
	putc('\n', page->output.file);
}

static void write_numbers(const struct diff_page *page, size_t row)
{
	const struct diff *diff = page->diff;
	const struct diff_change *change = diff_change_at(diff, 0, row);
	const char *status = diff_row_status(diff, row);
	bool is_significant = diff_change_is_significant(change);
	enum text_style style = diff_change_of(change) > 0 ? STYLE_HOT : STYLE_WARM;
	char before[DIFF_VALUE_SIZE], after[DIFF_VALUE_SIZE], moved[DIFF_VALUE_SIZE],
		error[DIFF_VALUE_SIZE], relative[DIFF_VALUE_SIZE];

	diff_format_value(diff, 0, before, change->result.values[DIFF_BEFORE]);
	diff_format_value(diff, 0, after, change->result.values[DIFF_AFTER]);
	diff_format_change(diff, 0, moved, diff_change_of(change));
	diff_format_error(diff, 0, error, change->result.error);
	diff_format_relative(relative, change);
	fprintf(page->output.file, "%8s %8s ", *status == 'n' ? "-" : before,
		*status == 'g' ? "-" : after);
	text_style_begin(&page->output, is_significant ? style : STYLE_PLAIN);
	fprintf(page->output.file, "%8s", moved);
	text_style_end(&page->output, is_significant ? style : STYLE_PLAIN);
	fprintf(page->output.file, " %7s %8s %c  ", error, *status ? status : relative,
		is_significant ? '*' : ' ');
}

static void write_rows(const struct diff_page *page)
{
	for (size_t i = 0; i < page->n_rows; i++) {
		const struct diff_row *row = &page->diff->rows.rows[page->rows[i]];

		write_numbers(page, page->rows[i]);
		unsigned written = printable_write(page->output.file, page->names.shown[i],
						   page->name_width, page->output.utf8);
		if (page->module_width && *row->module) {
			fprintf(page->output.file, "%*s  ", (int)(page->name_width - written), "");
			text_style_begin(&page->output, STYLE_DIM);
			printable_write(page->output.file, row->module, page->module_width,
					page->output.utf8);
			text_style_end(&page->output, STYLE_DIM);
		}
		putc('\n', page->output.file);
	}
}

static void write_sums(const struct diff_page *page)
{
	const struct diff *diff = page->diff;

	if (page->n_rows)
		putc('\n', page->output.file);
	if (page->n_rows < diff->n_shown && page->options->min_percent > 0)
		fprintf(page->output.file, "%zu more changed by less than %g %% (--min).\n",
			diff->n_shown - page->n_rows, page->options->min_percent);
	if (!diff->changes[0].n_significant)
		fprintf(page->output.file, "No %s moved by more than chance.\n",
			diff_row_noun(diff));
	else
		fprintf(page->output.file,
			"* moved by more than chance: %zu of %zu, at most 5 %% of them falsely on "
			"average.\n",
			diff->changes[0].n_significant, diff->rows.n_rows);
}

int diff_write_text(FILE *out, const struct diff *diff, const struct export_options *options)
{
	struct diff_page page = { .diff = diff, .options = options };
	unsigned width = options->width < MAX_WIDTH ? options->width : MAX_WIDTH;

	text_output_init(&page.output, out, options->color, width > MIN_WIDTH ? width : MIN_WIDTH);
	int err = choose_rows(&page);
	if (!err)
		err = diff_names_init(&page.names, diff, page.rows, page.n_rows,
				      options->full_names);
	if (!err) {
		write_header(&page);
		lay_out(&page);
		if (page.n_rows)
			write_heading(&page);
		write_rows(&page);
		write_sums(&page);
	}
	diff_names_deinit(&page.names);
	free(page.rows);
	return err ? err : stream_finish(out);
}
