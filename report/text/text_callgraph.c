/*
 * gprof's layout: an entry for each function with its number; above it its callers, below it what
 * it calls. The numbers of functions lead from one entry to the next.
 */
#include "report/text/text_callgraph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "report/demangle/short_name.h"
#include "report/text/text_columns.h"
#include "report/text/text_names.h"

#define INDEX_SIZE 16
#define INDENT     4 /* of callers and callees */

struct entries {
	struct text *text;
	bool has_differences; /* of arcs that are shown */
};

static void format_index(const struct view_row *row, char index[static INDEX_SIZE])
{
	snprintf(index, INDEX_SIZE, "[%" PRIu32 "]", row->number);
}

static bool has_arcs(const struct text *text)
{
	return text->options->max_depth != 1;
}

static void measure_entry(struct text *text, const struct view_row *function)
{
	char index[INDEX_SIZE];

	format_index(function, index);
	if (strlen(index) + 1 > text->index_width)
		text->index_width = (unsigned)strlen(index) + 1;
	text_measure(text, text_title_width(text, function, function), function);
	for (const struct view_row *arc = function->children; arc; arc = arc->next) {
		if (has_arcs(text) && text_is_visible(text, arc))
			text_measure(text, INDENT + text_title_width(text, arc, arc), arc);
	}
}

static void measure(struct text *text)
{
	text->index_width = (unsigned)strlen("index ");
	for (const struct view_row *row = text->view->root->children; row; row = row->next) {
		if (text_is_visible(text, row))
			measure_entry(text, row);
	}
	text_lay_out(text);
}

static void write_index(const struct text *text, const char *index)
{
	fprintf(text->output.file, "%-*s", (int)text->index_width, index);
}

static void write_more(const struct text *text, const struct text_sums *more, unsigned indent)
{
	if (!text_sums_visible(text, more))
		return;
	write_index(text, "");
	text_write_numbers(text, NULL, more);
	fprintf(text->output.file, "%*s", (int)indent, "");
	text_write_more(text, more);
}

/* Each sample of a function is on one of its arcs at most, so those not shown add up. */
static void write_arcs(struct entries *entries, const struct view_row *function, enum row_arc kind)
{
	struct text *text = entries->text;
	struct text_sums more = { .n_rows = 0 };

	for (const struct view_row *arc = function->children; arc; arc = arc->next) {
		if (arc->arc != kind)
			continue;
		if (!text_is_visible(text, arc)) {
			text_sums_add(text, &more, arc);
			continue;
		}
		entries->has_differences |= arc->differs;
		write_index(text, "");
		text_write_numbers(text, arc, NULL);
		fprintf(text->output.file, "%*s", INDENT, "");
		text_write_title(text, arc, arc, INDENT);
	}
	write_more(text, &more, INDENT);
}

static void write_rule(const struct text *text)
{
	unsigned width = text_numbers_width(text) + text->name_width;

	if (text->module_width)
		width += 2 + text->module_width;
	text_style_begin(&text->output, STYLE_DIM);
	for (unsigned i = 0; i < width; i++)
		putc('-', text->output.file);
	text_style_end(&text->output, STYLE_DIM);
	putc('\n', text->output.file);
}

static void write_entry(struct entries *entries, const struct view_row *function)
{
	struct text *text = entries->text;
	char index[INDEX_SIZE];

	if (has_arcs(text))
		write_arcs(entries, function, ARC_FROM_CALLER);
	format_index(function, index);
	write_index(text, index);
	text_write_numbers(text, function, NULL);
	text_write_title(text, function, function, 0);
	if (!has_arcs(text))
		return;
	write_arcs(entries, function, ARC_TO_CALLEE);
	write_rule(text);
}

static void write_functions(struct entries *entries)
{
	struct text *text = entries->text;
	struct text_sums more = { .n_rows = 0 };

	for (const struct view_row *row = text->view->root->children; row; row = row->next) {
		if (text_is_visible(text, row))
			write_entry(entries, row);
		else
			text_sums_add(text, &more, row);
	}
	/* Inclusive costs of several functions overlap, so no sum of them is shown. */
	memset(more.total, 0, sizeof(more.total));
	memset(more.ratio_total, 0, sizeof(more.ratio_total));
	if (!more.n_rows)
		return;
	write_index(text, "");
	text_write_numbers(text, NULL, &more);
	text_write_more(text, &more);
}

/* A function of a cycle: "name [12]". Returns the columns written, at most @room. */
static unsigned write_step(const struct text *text, const struct view_row *step, unsigned room)
{
	char index[INDEX_SIZE];

	format_index(step->function, index);
	unsigned width = (unsigned)strlen(index) + 1;
	const char *name = text_names_get(text->names, step);
	unsigned left = room > width ? room - width : 1;
	_cleanup_free_ char *fitted =
		text->options->full_names ? NULL : short_name_fit(name, left, text->output.utf8);
	if (text->options->full_names)
		left = UINT32_MAX;
	width +=
		printable_write(text->output.file, fitted ? fitted : name, left, text->output.utf8);
	fprintf(text->output.file, " %s", index);
	return width;
}

static unsigned step_width(const struct text *text, const struct view_row *step)
{
	char index[INDEX_SIZE];

	format_index(step->function, index);
	return printable_width(text_names_get(text->names, step), text->output.utf8) + 1 +
	       (unsigned)strlen(index);
}

/* "P [2] -> Q [3] -> R [4] -> P [2]", on several lines if it is long. */
static void write_cycle(const struct text *text, const struct view_row *cycle, unsigned indent)
{
	static const char arrow[] = " ->";
	unsigned room = text->output.width > indent + 20 ? text->output.width - indent : 20;
	unsigned column = write_step(text, cycle->children, room);
	const struct view_row *step = cycle->children;

	do {
		step = step->next ? step->next : cycle->children;
		fputs(arrow, text->output.file);
		column += (unsigned)strlen(arrow);
		if (column + 1 + step_width(text, step) + strlen(arrow) <= room) {
			putc(' ', text->output.file);
			column++;
		} else {
			fprintf(text->output.file, "\n%*s", (int)indent, "");
			column = 0;
		}
		column += write_step(text, step, room - (unsigned)strlen(arrow));
	} while (step != cycle->children);
	putc('\n', text->output.file);
}

static void write_cycles(const struct text *text)
{
	struct text totals = *text;
	struct text_sums more = { .n_rows = 0 };
	bool is_first = true;

	totals.show_self = totals.show_child = totals.show_activations = false;
	totals.index_width = totals.module_width = 0;
	for (const struct view_row *row = text->view->cycles->children; row; row = row->next) {
		if (!text_is_visible(text, row)) {
			text_sums_add(text, &more, row);
			continue;
		}
		if (is_first) {
			putc('\n', text->output.file);
			text_write_columns_heading(&totals, "cycles of calls that occurred");
		}
		is_first = false;
		text_write_numbers(&totals, row, NULL);
		write_cycle(&totals, row, text_numbers_width(&totals));
	}
	if (!more.n_rows)
		return;
	fputs(is_first ? "\n" : "", text->output.file);
	fprintf(text->output.file, "%u %scycles of calls below %g %%\n", more.n_rows,
		is_first ? "" : "more ", text->options->min_percent);
}

static void write_explanations(const struct entries *entries)
{
	const struct text_output *output = &entries->text->output;

	text_style_begin(output, STYLE_DIM);
	if (entries->has_differences)
		fputs("\n* Mutual recursion: the other function's entry has other\n"
		      "  numbers. In each entry a sample counts once above, by the\n"
		      "  call of the function's most recent activation, and once\n"
		      "  below, by the call which that activation made.\n",
		      output->file);
	fputs("\nWhole paths: --view paths --root NAME [--direction up].\n", output->file);
	text_style_end(output, STYLE_DIM);
}

void text_callgraph_write(struct text *text)
{
	struct entries entries = { .text = text };

	measure(text);
	text_write_columns_heading(text, view_traits(text->view->options.kind)->heading);
	if (has_arcs(text))
		write_rule(text);
	write_functions(&entries);
	write_cycles(text);
	write_explanations(&entries);
}
