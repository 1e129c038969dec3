#include "report/export/export_text.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "report/text/text_callgraph.h"
#include "report/text/text_columns.h"
#include "report/text/text_errors.h"
#include "report/text/text_flat.h"
#include "report/text/text_header.h"
#include "report/text/text_hot.h"
#include "report/text/text_missing.h"
#include "report/text/text_names.h"
#include "report/text/text_statistics.h"
#include "report/text/text_tree.h"

#define MIN_WIDTH     60
#define MAX_WIDTH     1000
#define DEFAULT_WIDTH 100
/*
 * Columns of numbers get at most three fifths of the width. A block has one or two numbers and a
 * space.
 */
#define NUMBERS_WIDTH(width) ((width)*3 / 5)

static uint32_t count_with_samples(const struct text *text)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < text->view->profile->n_metrics; i++)
		n += text->view->root->samples[i] > 0;
	return n;
}

static unsigned block_width(const struct text *text, unsigned number_width)
{
	unsigned n = 2 + text->show_child;

	return (text->show_values ? 2 * n : n) * number_width + text_errors_width(text) + 1;
}

/* Cycles, clocks and instructions count how long something took; other events are resources. */
static bool is_resource(const struct metric *metric)
{
	return strcmp(metric->unit, "ns") != 0 && !strstr(metric->name, "cycles") &&
	       !strstr(metric->name, "instructions") && !strstr(metric->name, "clock");
}

/* Values are shown on request, and of a resource that is the only event. */
static void choose_values(struct text *text)
{
	const struct profile *profile = text->view->profile;
	uint32_t sort_metric = text->view->options.sort_metric;

	text->show_values =
		text->options->values || (sort_metric < profile->n_metrics && !text->n_ratios &&
					  count_with_samples(text) == 1 &&
					  (is_resource(&profile->metrics[sort_metric]) ||
					   profile->metrics[sort_metric].is_waits));
}

/* The difference of total and self has a column if that pushes no event out. */
static void choose_child(struct text *text)
{
	uint32_t n_wanted = count_with_samples(text) + text->n_ratios;

	text->show_child = view_traits(text->view->options.kind)->has_child;
	if (n_wanted * block_width(text, TEXT_COMPACT_WIDTH) > NUMBERS_WIDTH(text->output.width))
		text->show_child = n_wanted == 1 && text->show_child;
}

/* Shares have one decimal instead of two only if more columns fit that way. */
static void choose_number_width(struct text *text)
{
	uint32_t n_wanted = count_with_samples(text) + text->n_ratios;
	uint32_t n_fit = NUMBERS_WIDTH(text->output.width) / block_width(text, TEXT_NUMBER_WIDTH);

	text->number_width = n_wanted > n_fit ? TEXT_COMPACT_WIDTH : TEXT_NUMBER_WIDTH;
}

/*
 * Chooses as many metrics as fit beside the ratios. The one sorted by comes first and is always
 * shown; metrics without samples are left out, as their columns would be empty.
 */
static void choose_metrics(struct text *text)
{
	uint32_t n_metrics = text->view->profile->n_metrics;
	uint32_t first = text->view->options.sort_metric;
	uint32_t n_fit = NUMBERS_WIDTH(text->output.width) / block_width(text, text->number_width);
	uint32_t max_metrics = n_fit > text->n_ratios ? n_fit - text->n_ratios : 0;

	if (max_metrics > TEXT_MAX_METRICS)
		max_metrics = TEXT_MAX_METRICS;
	if (first < n_metrics)
		text->metrics[text->n_metrics++] = first;
	for (uint32_t i = 0; i < n_metrics && text->n_metrics < max_metrics; i++) {
		if (i != first && text->view->root->samples[i])
			text->metrics[text->n_metrics++] = i;
	}
}

static void choose_columns(struct text *text)
{
	bool flat = view_is_flat(text->view);

	text->show_total = true;
	text->show_activations = text->view->options.activations;
	text->show_self = view_traits(text->view->options.kind)->has_self &&
			  text->view->options.direction == PATHS_DOWN;
	text->show_waits = text->show_values && text->view->options.kind != VIEW_CALLGRAPH &&
			   text->n_metrics == 1 && !text->n_ratios &&
			   text->view->profile->metrics[text->metrics[0]].is_waits;
	/* The own cost of a wait is that of its reason, the last row of each path. */
	if (text->show_waits && !flat)
		text->show_self = false;
	text->show_samples = flat && text->n_metrics == 1 && !text->n_ratios && !text->show_waits;
}

/* Trees, and tables with several columns of text, need more for their names. */
static bool has_much_text(const struct text *text)
{
	const struct view_options *options = &text->view->options;

	return !view_is_flat(text->view) || options->each_task || options->each_cpu;
}

/* Errors that were not requested take what room is left. Without a terminal they are added to the
 * width, so that no other column has less because of them. */
static void choose_errors(struct text *text)
{
	unsigned room = has_much_text(text) ? text->output.width * 2 / 5
					    : NUMBERS_WIDTH(text->output.width);
	unsigned used = text_numbers_width(text);

	if (!text->options->is_width_free) {
		text_errors_choose(text, room > used ? room - used : 0);
		return;
	}
	text_errors_choose(text, UINT_MAX);
	if (!text->view->options.errors)
		text->output.width += text_errors_width(text) * text->n_metrics;
}

/* What the paths begin or end with, and how the others are seen. */
static void write_direction(const struct text *text)
{
	const struct view_options *options = &text->view->options;
	bool down = options->direction == PATHS_DOWN;

	fprintf(text->output.file, "\nPaths that %s with ", down ? "begin" : "end");
	printable_put(text->output.file, options->root);
	fprintf(text->output.file, ", in shares of the whole recording.\n%s: --direction %s.\n",
		down ? "Its callers" : "What it calls", down ? "up" : "down");
}

static void write_notes(const struct text *text)
{
	uint32_t n_metrics = count_with_samples(text);

	text_style_begin(&text->output, STYLE_DIM);
	if (text->rows_hidden)
		fprintf(text->output.file, "\nRows below %g %% are not shown (--min).\n",
			text->options->min_percent);
	if (text->view->options.kind == VIEW_PATHS)
		write_direction(text);
	if (text->view->options.kind == VIEW_SYSCALLS)
		fputs("\nWhat the kernel does in a call: --view paths --root '*sys_read'.\n",
		      text->output.file);
	if (text->n_metrics < n_metrics)
		fprintf(text->output.file,
			"\n%u more event%s not fit the width (--event, --sort).\n",
			n_metrics - text->n_metrics,
			n_metrics - text->n_metrics == 1 ? " does" : "s do");
	text_errors_write_note(text);
	text_style_end(&text->output, STYLE_DIM);
}

static unsigned limit_width(unsigned width)
{
	if (!width)
		return DEFAULT_WIDTH;
	if (width < MIN_WIDTH)
		return MIN_WIDTH;
	return width < MAX_WIDTH ? width : MAX_WIDTH;
}

static int write_rows(struct text *text)
{
	if (text->view->options.kind == VIEW_STATS)
		text_statistics_write(text);
	else if (text->view->options.kind == VIEW_HOT)
		text_hot_write(text);
	else if (text->view->options.kind == VIEW_CALLGRAPH)
		text_callgraph_write(text);
	else if (view_is_flat(text->view))
		text_flat_write(text);
	else
		return text_tree_write(text);
	return 0;
}

int export_text(FILE *out, const struct view *view, struct symbolizer *symbolizer,
		const struct export_options *options)
{
	struct text text = {
		.view = view,
		.symbolizer = symbolizer,
		.options = options,
	};

	text_output_init(&text.output, out, options->color, limit_width(options->width));
	text.n_ratios = options->n_ratios < TEXT_MAX_RATIOS ? options->n_ratios : TEXT_MAX_RATIOS;
	text_errors_init(&text);
	choose_values(&text);
	choose_child(&text);
	choose_number_width(&text);
	choose_metrics(&text);
	choose_columns(&text);
	choose_errors(&text);
	int err = view->options.kind == VIEW_TREE ? hottest_find(view, &text.hottest) : 0;
	if (err)
		return err;
	if (!options->full_names && view_traits(view->options.kind)->subject <= ROWS_LINES)
		text.names = text_names_create(&text);
	text_header_write(&text);
	if (!view->root->children && view->options.kind != VIEW_STATS)
		fputs("No samples.\n", out);
	else
		err = write_rows(&text);
	text_names_destroy(text.names);
	if (err)
		return err;
	write_notes(&text);
	err = text_missing_write(&text);
	return err ? err : stream_finish(out);
}
