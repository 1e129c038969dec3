#include "report/diff/diff_hot.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "cct/text/json_string.h"
#include "report/demangle/short_name.h"
#include "report/diff/diff_csv.h"
#include "report/diff/diff_header.h"
#include "report/diff/diff_json.h"
#include "report/diff/diff_values.h"
#include "report/export/csv_field.h"
#include "report/terminal/text_output.h"
#include "report/text/text_format.h"

#define MIN_WIDTH             60
#define MAX_WIDTH             1000
#define CLASS_WIDTH           8
#define CHANGE_WIDTH          30 /* of three columns with the mark, and two spaces */
#define DENSITY_WIDTH         18
#define RELATIVE_WIDTH        9
#define HEAT_WIDTH            17 /* "sparse > dense" */
#define MIN_NAME_WIDTH        20
#define LINE_WIDTH            78 /* of a sentence with numbers */
#define MIN_STEP_WIDTH        12
#define CALLED_BY             " < "
#define COSTS_WIDTH           27 /* of the columns of an event in a table of classes */
#define CONTEXT_INDENT        10
#define CLASSES_RELATIVE_ROOM 68
#define CLASSES_PER_ROOM      98 /* columns of a table of classes with the second metric */

/* What a row cost on each side. */
static void add_up(const struct diff *diff, size_t row, struct diff_heat *heats)
{
	const struct diff_cost *const metrics[] = { diff->rows.metrics[0].rows[DIFF_SELF],
						    diff->rows.metrics[1].rows[DIFF_SELF] };

	for (size_t i = 0; i < diff->rows.n_runs; i++) {
		struct heat_costs *costs = &heats[diff->sources[i].side].costs;
		const size_t at = row * diff->rows.n_runs + i;

		costs->metric += metrics[0][at].weight;
		costs->per += metrics[1][at].weight;
	}
}

static void add_up_runs(struct diff_hot *hot, const struct diff *diff)
{
	for (size_t i = 0; i < diff->rows.n_runs; i++) {
		struct heat_costs *whole = &hot->whole[diff->sources[i].side];

		whole->metric += diff->rows.metrics[0].runs[i].cost.weight;
		whole->per += diff->rows.metrics[1].runs[i].cost.weight;
	}
}

static double moved(const struct diff *diff, size_t row)
{
	return fabs(diff_change_of(&diff->changes[0].rows[DIFF_SELF][row]));
}

static int compare_moves(const void *a, const void *b, void *argument)
{
	const struct diff *diff = argument;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	double by_move = moved(diff, y) - moved(diff, x);

	if (by_move != 0)
		return by_move > 0 ? 1 : -1;
	return (x > y) - (x < y);
}

static bool is_listed(const struct diff *diff, const struct diff_heat *heats, size_t row)
{
	if (heats[DIFF_BEFORE].heat == HEAT_COLD && heats[DIFF_AFTER].heat == HEAT_COLD)
		return false;
	return !diff->options.significant_only ||
	       diff_change_is_significant(&diff->changes[0].rows[DIFF_SELF][row]);
}

static int classify(const struct diff_hot *hot, struct diff_heats *rows, const struct diff *diff)
{
	const size_t n = diff->rows.n_rows;

	rows->diff = diff;
	rows->of = calloc(n * N_DIFF_SIDES + 1, sizeof(*rows->of));
	rows->hot = calloc(n + 1, sizeof(*rows->hot));
	if (!rows->of || !rows->hot)
		return -ENOMEM;
	for (size_t row = 0; row < n; row++) {
		struct diff_heat *heats = &rows->of[row * N_DIFF_SIDES];

		add_up(diff, row, heats);
		for (int side = 0; side < N_DIFF_SIDES; side++)
			heats[side].heat = heat_classify(rows->classes[side], &heats[side].costs,
							 &hot->whole[side], hot->threshold_percent);
		if (is_listed(diff, heats, row))
			rows->hot[rows->n_hot++] = row;
	}
	qsort_r(rows->hot, rows->n_hot, sizeof(*rows->hot), compare_moves, (void *)diff);
	return 0;
}

int diff_hot_init(struct diff_hot *hot, const struct diff *functions, const struct diff *contexts,
		  double threshold_percent)
{
	*hot = (struct diff_hot){ .threshold_percent = threshold_percent };
	add_up_runs(hot, functions);
	int err = classify(hot, &hot->rows[HOT_FUNCTIONS], functions);
	return err ? err : classify(hot, &hot->rows[HOT_CONTEXTS], contexts);
}

void diff_hot_deinit(struct diff_hot *hot)
{
	for (int i = 0; i < N_HOT_ROWS; i++) {
		free(hot->rows[i].of);
		free(hot->rows[i].hot);
	}
}

static bool has_cost(const struct diff_heat *heat)
{
	return heat->costs.metric || heat->costs.per;
}

/* NAN: there is no cost of the first metric; infinite without any of the second. */
static double density_of(const struct diff_hot *hot, const struct heat_costs *costs, int side)
{
	return costs->metric ? heat_density(costs, &hot->whole[side]) : NAN;
}

static double part(uint64_t cost, uint64_t whole)
{
	return whole ? (double)cost / (double)whole : 0;
}

static double relative(double before, double after)
{
	return before > 0 && isfinite(before) && isfinite(after) ? after / before - 1 : NAN;
}

/* Text. */

struct page {
	struct text_output output;
	const struct diff_hot *hot;
	bool has_density, has_relative;
	unsigned room; /* for names */
};

static const char *event_of(const struct page *page, size_t metric)
{
	return page->hot->rows[HOT_FUNCTIONS].diff->options.metrics[metric].event;
}

/* Filled up to @width if something follows. */
static void write_event(const struct page *page, size_t metric, unsigned width, bool is_last)
{
	unsigned written = printable_write(page->output.file, event_of(page, metric), width,
					   page->output.utf8);

	if (!is_last)
		fprintf(page->output.file, "%*s", (int)(width - written), "");
}

static void write_relative(FILE *out, double value)
{
	if (isnan(value))
		fprintf(out, "%9s", "-");
	else
		fprintf(out, " %+7.1f%%", 100 * value);
}

static void write_shares(const struct page *page, double before, double after)
{
	fprintf(page->output.file, "%8.2f%%%8.2f%%%+9.2f", 100 * before, 100 * after,
		100 * (after - before));
}

static void write_class(const struct page *page, const struct diff_heats *rows, enum heat heat,
			bool has_per)
{
	const struct diff_hot *hot = page->hot;
	const struct heat_class *before = &rows->classes[DIFF_BEFORE][heat];
	const struct heat_class *after = &rows->classes[DIFF_AFTER][heat];

	fprintf(page->output.file, "%-*s%8" PRIu64 "%8" PRIu64 "%+8" PRId64, CLASS_WIDTH,
		heat_name(heat), before->n, after->n, (int64_t)(after->n - before->n));
	if (page->output.width >= CLASSES_RELATIVE_ROOM)
		write_relative(page->output.file, relative((double)before->n, (double)after->n));
	write_shares(page, part(before->sum.metric, hot->whole[DIFF_BEFORE].metric),
		     part(after->sum.metric, hot->whole[DIFF_AFTER].metric));
	if (has_per)
		write_shares(page, part(before->sum.per, hot->whole[DIFF_BEFORE].per),
			     part(after->sum.per, hot->whole[DIFF_AFTER].per));
	putc('\n', page->output.file);
}

static void write_classes(const struct page *page, enum hot_rows of)
{
	static const char *const headings[] = { "functions", "contexts" };
	const bool has_relative = page->output.width >= CLASSES_RELATIVE_ROOM;
	const bool has_per = page->output.width >= CLASSES_PER_ROOM;

	text_style_begin(&page->output, STYLE_HEADING);
	fprintf(page->output.file, "%-*s%-*s", CLASS_WIDTH + 2, "", has_relative ? 34 : 25,
		headings[of]);
	write_event(page, 0, COSTS_WIDTH, !has_per);
	if (has_per)
		write_event(page, 1, COSTS_WIDTH, true);
	fprintf(page->output.file, "\n%-*s%8s%8s%8s", CLASS_WIDTH, "class", "before", "after",
		"change");
	if (has_relative)
		fprintf(page->output.file, "%9s", "relative");
	fprintf(page->output.file, "%9s%9s%9s", "before", "after", "change");
	if (has_per)
		fprintf(page->output.file, "%9s%9s%9s", "before", "after", "change");
	text_style_end(&page->output, STYLE_HEADING);
	putc('\n', page->output.file);
	for (int heat = N_HEATS - 1; heat >= 0; heat--)
		write_class(page, &page->hot->rows[of], (enum heat)heat, has_per);
	putc('\n', page->output.file);
}

static void write_density(const struct page *page, double density)
{
	char text[32] = "-";

	if (isinf(density))
		snprintf(text, sizeof(text), "inf");
	else if (!isnan(density))
		text_format_ratio(text, sizeof(text), density);
	fprintf(page->output.file, "%8s ", text);
}

/* "dense", "cold > sparse", "dense > -". @width: 0 if nothing follows. */
static void write_heats(const struct page *page, const struct diff_heat *heats, int width)
{
	const char *names[N_DIFF_SIDES];
	char text[64];

	for (int side = 0; side < N_DIFF_SIDES; side++)
		names[side] = has_cost(&heats[side]) ? heat_name(heats[side].heat) : "-";
	if (strcmp(names[DIFF_BEFORE], names[DIFF_AFTER]) == 0)
		snprintf(text, sizeof(text), "%s", names[DIFF_AFTER]);
	else
		snprintf(text, sizeof(text), "%s > %s", names[DIFF_BEFORE], names[DIFF_AFTER]);
	fprintf(page->output.file, "%-*s", width, text);
}

static void write_numbers(const struct page *page, const struct diff_heats *rows, size_t row,
			  int heat_width)
{
	const struct diff_heat *heats = &rows->of[row * N_DIFF_SIDES];
	const struct diff_change *change = &rows->diff->changes[0].rows[DIFF_SELF][row];
	const double before = density_of(page->hot, &heats[DIFF_BEFORE].costs, DIFF_BEFORE);
	const double after = density_of(page->hot, &heats[DIFF_AFTER].costs, DIFF_AFTER);

	for (int side = 0; side < N_DIFF_SIDES; side++) {
		char text[DIFF_VALUE_SIZE] = "-";

		if (has_cost(&heats[side]))
			diff_format_value(rows->diff, 0, text, change->result.values[side]);
		fprintf(page->output.file, "%8s ", text);
	}
	fprintf(page->output.file, "%+8.2f %c  ", 100 * diff_change_of(change),
		diff_change_is_significant(change) ? '*' : ' ');
	if (page->has_density) {
		write_density(page, before);
		write_density(page, after);
	}
	if (page->has_relative)
		write_relative(page->output.file, relative(before, after));
	fputs(page->has_density ? "  " : "", page->output.file);
	write_heats(page, heats, heat_width);
}

static unsigned write_name(const struct page *page, const char *name, unsigned room)
{
	_cleanup_free_ char *fitted = short_name_fit(name, room, page->output.utf8);

	return printable_write(page->output.file, fitted ? fitted : name, room, page->output.utf8);
}

/* The row above, if it is a function. NULL: it has no caller. */
static const struct diff_row *caller_of(const struct diff *diff, const struct diff_row *row)
{
	if (row->parent == DIFF_NO_ROW)
		return NULL;
	const struct diff_row *above = &diff->rows.rows[row->parent];
	return above->kind == ROW_PROCESS || above->kind == ROW_THREAD ? NULL : above;
}

/* "memcpy < copy_row < main", as many as fit. */
static void write_path(const struct page *page, const struct diff *diff, size_t at)
{
	const struct diff_row *row = &diff->rows.rows[at], *caller = caller_of(diff, row);
	const unsigned room = page->output.width - CONTEXT_INDENT;
	const unsigned mark = (unsigned)strlen(CALLED_BY);

	fprintf(page->output.file, "%*s", CONTEXT_INDENT, "");
	unsigned written = write_name(page, row->name, caller ? room / 2 : room);
	for (; caller; caller = caller_of(diff, caller)) {
		if (written + 2 * mark + MIN_STEP_WIDTH > room) {
			fputs(written + mark <= room ? " <" : "", page->output.file);
			break;
		}
		fputs(CALLED_BY, page->output.file);
		written += mark;
		written += write_name(page, caller->name, room - written - mark);
	}
	putc('\n', page->output.file);
}

static void write_headings(const struct page *page, const char *heading)
{
	text_style_begin(&page->output, STYLE_HEADING);
	write_event(page, 0, CHANGE_WIDTH, !page->has_density);
	fprintf(page->output.file, "%s\n%8s %8s %8s    ", page->has_density ? "density" : "",
		"before", "after", "change");
	if (page->has_density)
		fprintf(page->output.file, "%8s %8s ", "before", "after");
	if (page->has_relative)
		fprintf(page->output.file, "%9s", "relative");
	fprintf(page->output.file, "%s%-*s%s", page->has_density ? "  " : "",
		*heading ? HEAT_WIDTH : 0, "class", heading);
	text_style_end(&page->output, STYLE_HEADING);
	putc('\n', page->output.file);
}

static void write_functions(const struct page *page)
{
	const struct diff_heats *rows = &page->hot->rows[HOT_FUNCTIONS];

	write_headings(page, "function");
	for (size_t i = 0; i < rows->n_hot; i++) {
		write_numbers(page, rows, rows->hot[i], HEAT_WIDTH);
		write_name(page, rows->diff->rows.rows[rows->hot[i]].name, page->room);
		putc('\n', page->output.file);
	}
	putc('\n', page->output.file);
}

static void write_contexts(const struct page *page)
{
	const struct diff_heats *rows = &page->hot->rows[HOT_CONTEXTS];

	if (!rows->n_hot)
		return;
	write_headings(page, "");
	fprintf(page->output.file, "%*scontext: function < its callers\n", CONTEXT_INDENT, "");
	for (size_t i = 0; i < rows->n_hot; i++) {
		write_numbers(page, rows, rows->hot[i], 0);
		putc('\n', page->output.file);
		write_path(page, rows->diff, rows->hot[i]);
	}
	putc('\n', page->output.file);
}

static void lay_out(struct page *page)
{
	unsigned left = page->output.width - CHANGE_WIDTH - HEAT_WIDTH;

	page->has_density = left >= DENSITY_WIDTH + 2 + MIN_STEP_WIDTH;
	left -= page->has_density ? DENSITY_WIDTH + 2 : 0;
	page->has_relative = page->has_density && left >= RELATIVE_WIDTH + MIN_NAME_WIDTH;
	left -= page->has_relative ? RELATIVE_WIDTH : 0;
	page->room = left;
}

int diff_hot_write_text(FILE *out, const struct diff_hot *hot, const struct export_options *options)
{
	const struct diff *diff = hot->rows[HOT_FUNCTIONS].diff;
	const unsigned width = options->width < MAX_WIDTH ? options->width : MAX_WIDTH;
	struct page page = { .hot = hot };

	text_output_init(&page.output, out, options->color, width > MIN_WIDTH ? width : MIN_WIDTH);
	lay_out(&page);
	diff_header_write(&page.output, diff, diff->rows.n_metrics);
	fprintf(out, "hot: at least %g %% of ", hot->threshold_percent);
	write_name(&page, event_of(&page, 0), page.output.width / 2);
	fputs("\ndense: at a density above 1, which is that of the whole side\n\n", out);
	write_classes(&page, HOT_FUNCTIONS);
	write_classes(&page, HOT_CONTEXTS);
	write_functions(&page);
	write_contexts(&page);
	fprintf(out, "* moved by more than chance:%s%zu of %zu functions, %zu of %zu contexts.\n",
		width < LINE_WIDTH ? "\n" : " ", diff->changes[0].n_significant, diff->rows.n_rows,
		hot->rows[HOT_CONTEXTS].diff->changes[0].n_significant,
		hot->rows[HOT_CONTEXTS].diff->rows.n_rows);
	return stream_finish(out);
}

/* For programs. */

/* JSON has no infinity. */
static double density_or_nan(const struct diff_hot *hot, const struct diff_heat *heats, int side)
{
	const double density = density_of(hot, &heats[side].costs, side);

	return isinf(density) ? NAN : density;
}

/* JSON has no NaN. */
static void write_before(FILE *out, double value)
{
	if (isnan(value))
		fputs("\"before\":null", out);
	else
		fprintf(out, "\"before\":%.9g", value);
}

/* An object of numbers. @start: what is before it. */
static void write_json_change(FILE *out, const char *start, const char *key, double before,
			      double after)
{
	fprintf(out, "%s\"%s\":{", start, key);
	write_before(out, before);
	diff_json_write_number(out, "after", after);
	diff_json_write_number(out, "difference", after - before);
	diff_json_write_number(out, "relative", relative(before, after));
	putc('}', out);
}

static void write_json_heats(FILE *out, const struct diff_hot *hot, const struct diff_heat *heats)
{
	fprintf(out, ",\n   \"class\":{\"before\":\"%s\",\"after\":\"%s\"}",
		heat_name(heats[DIFF_BEFORE].heat), heat_name(heats[DIFF_AFTER].heat));
	write_json_change(out, ",", "density", density_or_nan(hot, heats, DIFF_BEFORE),
			  density_or_nan(hot, heats, DIFF_AFTER));
}

static void write_json_classes(FILE *out, const struct diff_hot *hot, const char *name,
			       const struct diff_heats *rows)
{
	fprintf(out, ",\n  \"%s\":{", name);
	for (int heat = N_HEATS - 1; heat >= 0; heat--) {
		const struct heat_class *before = &rows->classes[DIFF_BEFORE][heat];
		const struct heat_class *after = &rows->classes[DIFF_AFTER][heat];

		fprintf(out, "\"%s\":", heat_name((enum heat)heat));
		write_json_change(out, "{", "number", (double)before->n, (double)after->n);
		write_json_change(out, ",", "metric",
				  part(before->sum.metric, hot->whole[DIFF_BEFORE].metric),
				  part(after->sum.metric, hot->whole[DIFF_AFTER].metric));
		write_json_change(out, ",", "per",
				  part(before->sum.per, hot->whole[DIFF_BEFORE].per),
				  part(after->sum.per, hot->whole[DIFF_AFTER].per));
		fputs(heat ? "},\n   " : "}}", out);
	}
}

static void write_json_path(FILE *out, const struct diff *diff, size_t at)
{
	const struct diff_row *row = &diff->rows.rows[at];

	fputs("\"path\":[", out);
	json_write_string(out, row->name);
	while ((row = caller_of(diff, row))) {
		putc(',', out);
		json_write_string(out, row->name);
	}
	fputs("],", out);
}

/* @rows: the numbers of the rows. */
static void write_json_rows(FILE *out, const struct diff_hot *hot, enum hot_rows of,
			    const size_t *rows, size_t n)
{
	const struct diff_heats *heats = &hot->rows[of];

	for (size_t i = 0; i < n; i++) {
		fputs(i ? ",\n  {" : "\n  {", out);
		if (of == HOT_CONTEXTS)
			write_json_path(out, heats->diff, rows[i]);
		diff_json_write_row(out, heats->diff, rows[i], NULL);
		write_json_heats(out, hot, &heats->of[rows[i] * N_DIFF_SIDES]);
		putc('}', out);
	}
}

int diff_hot_write_json(FILE *out, const struct diff_hot *hot)
{
	const struct diff_heats *functions = &hot->rows[HOT_FUNCTIONS];
	const struct diff_heats *contexts = &hot->rows[HOT_CONTEXTS];

	diff_json_write_head(out, functions->diff);
	fprintf(out, ",\n\"hot\":{\"threshold\":%.9g", hot->threshold_percent);
	write_json_classes(out, hot, "functions", functions);
	write_json_classes(out, hot, "contexts", contexts);
	fputs("},\n\"rows\":[", out);
	write_json_rows(out, hot, HOT_FUNCTIONS, functions->diff->order, functions->diff->n_shown);
	fputs("],\n\"contexts\":[", out);
	write_json_rows(out, hot, HOT_CONTEXTS, contexts->hot, contexts->n_hot);
	fputs("]}\n", out);
	return stream_finish(out);
}

int diff_hot_write_csv(FILE *out, const struct diff_hot *hot)
{
	const struct diff_heats *rows = &hot->rows[HOT_FUNCTIONS];
	const struct diff *diff = rows->diff;

	diff_csv_write_heading(out, diff);
	fputs(",class before,class after,density before,density after,density difference,"
	      "density relative" CSV_LINE_END,
	      out);
	for (size_t i = 0; i < diff->n_shown; i++) {
		const struct diff_heat *heats = &rows->of[diff->order[i] * N_DIFF_SIDES];
		const double before = density_or_nan(hot, heats, DIFF_BEFORE);
		const double after = density_or_nan(hot, heats, DIFF_AFTER);

		diff_csv_write_row(out, diff, diff->order[i]);
		fprintf(out, ",%s,%s", heat_name(heats[DIFF_BEFORE].heat),
			heat_name(heats[DIFF_AFTER].heat));
		diff_csv_write_number(out, before);
		diff_csv_write_number(out, after);
		diff_csv_write_number(out, after - before);
		diff_csv_write_number(out, relative(before, after));
		fputs(CSV_LINE_END, out);
	}
	return stream_finish(out);
}
