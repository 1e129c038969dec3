#include "report/changes/change_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/demangle/short_name.h"
#include "report/demangle/simple_name.h"
#include "report/diff/diff_values.h"

#define VALUE_WIDTH  9
#define CHANGE_WIDTH 10
#define ERROR_WIDTH  9
#define OTHER_WIDTH  9
/* Screens that have room for errors, and for modules. */
#define WIDTH_FOR_ERRORS  80
#define WIDTH_FOR_MODULES 100
#define MODULE_WIDTH      24

static const char *const measures[] = { [DIFF_SELF] = "self", [DIFF_TOTAL] = "total" };

static void add_files(const struct diff *diff, enum diff_side side, struct styled_line *line)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < diff->rows.n_runs; i++) {
		if (diff->sources[i].side != side)
			continue;
		first = n++ ? first : diff->sources[i].path;
	}
	styled_line_add_cut(line, first, line->max_columns / 4);
	if (n > 1)
		styled_line_addf(line, " and %zu more", n - 1);
}

void change_text_title(const struct change_list *list, struct styled_line *line)
{
	const struct diff *diff = list->diff;

	styled_line_add(line, " dendro diff  ");
	add_files(diff, DIFF_BEFORE, line);
	styled_line_add_sign(line, " → ", " -> ");
	add_files(diff, DIFF_AFTER, line);
	styled_line_add(line, "  ");
	styled_line_add_cut(line, diff->options.metrics[list->order.metric].event,
			    line->max_columns / 4);
	if (diff->rows.n_metrics > 1)
		styled_line_add_whole(line, "  event %zu of %zu", list->order.metric + 1,
				      diff->rows.n_metrics);
	styled_line_pad(line, line->max_columns);
}

void change_text_views(const struct change_list *list, struct styled_line *line)
{
	const bool is_tree = diff_is_tree(list->diff);

	styled_line_set(line, is_tree ? STYLE_HEADING : STYLE_DIM);
	styled_line_add(line, is_tree ? " 1 [tree]" : " 1 tree ");
	styled_line_set(line, is_tree ? STYLE_DIM : STYLE_HEADING);
	styled_line_add(line, is_tree ? " 3 functions " : " 3 [functions]");
	styled_line_set(line, STYLE_PLAIN);
	styled_line_add_whole(line, "  by %s cost", measures[list->order.measure]);
	if (list->order.significant_only) {
		styled_line_add(line, "  ");
		styled_line_set(line, STYLE_WARNING);
		styled_line_add_whole(line, "moved by more than chance");
	}
}

void change_text_heading(const struct change_list *list, struct styled_line *line)
{
	styled_line_set(line, STYLE_HEADING);
	styled_line_addf(line, "%*s%*s%*s  ", VALUE_WIDTH, "before", VALUE_WIDTH, "after",
			 CHANGE_WIDTH, "change");
	if (line->max_columns >= WIDTH_FOR_ERRORS)
		styled_line_addf(line, "%*s%*s  ", ERROR_WIDTH - 1, "error", OTHER_WIDTH,
				 "relative");
	styled_line_addf(line, " %s", diff_is_tree(list->diff) ? "  call path" : "function");
	if (line->max_columns < WIDTH_FOR_MODULES)
		return;
	styled_line_pad(line, line->max_columns - MODULE_WIDTH);
	styled_line_add(line, "module");
}

static void format_relative(const struct change_list *list, uint32_t row,
			    const struct diff_change *change, char *text)
{
	const char *status = diff_row_status(list->diff, row);

	if (*status)
		snprintf(text, DIFF_VALUE_SIZE, "%s", status);
	else
		diff_format_relative(text, change);
}

/* A value that is not there is a dash. */
static void add_value(const struct change_list *list, struct styled_line *line, double value)
{
	char text[DIFF_VALUE_SIZE] = "-";

	if (value > 0)
		diff_format_value(list->diff, list->order.metric, text, value);
	styled_line_addf(line, "%*s", VALUE_WIDTH, text);
}

static enum text_style style_of(const struct diff_change *change)
{
	if (!diff_change_is_significant(change))
		return STYLE_DIM;
	return diff_change_of(change) > 0 ? STYLE_HOT : STYLE_KERNEL;
}

static void add_numbers(const struct change_list *list, struct styled_line *line, uint32_t row)
{
	const struct diff_change *change = change_list_change(list, row, list->order.measure);
	const size_t metric = list->order.metric;
	char text[DIFF_VALUE_SIZE] = "-";

	styled_line_set(line, diff_change_is_significant(change) ? STYLE_PLAIN : STYLE_DIM);
	add_value(list, line, change->result.values[DIFF_BEFORE]);
	add_value(list, line, change->result.values[DIFF_AFTER]);
	styled_line_set(line, style_of(change));
	if (diff_change_of(change) != 0)
		diff_format_change(list->diff, metric, text, diff_change_of(change));
	styled_line_addf(line, "%*s %s", CHANGE_WIDTH, text,
			 diff_change_is_significant(change) ? "*" : " ");
	if (line->max_columns < WIDTH_FOR_ERRORS)
		return;
	const bool is_moved = diff_change_of(change) != 0;
	diff_format_error(list->diff, metric, text, change->result.error);
	styled_line_addf(line, "%*s", ERROR_WIDTH - 1, is_moved ? text : "");
	format_relative(list, row, change, text);
	styled_line_addf(line, "%*s  ", OTHER_WIDTH, is_moved ? text : "");
}

static void add_fold_mark(const struct change_list *list, struct styled_line *line, uint32_t row)
{
	if (!diff_is_tree(list->diff))
		return;
	for (uint32_t i = 0; i < list->indent[row] && line->columns < line->max_columns / 2; i++)
		styled_line_add(line, "  ");
	if (!change_list_has_below(list, row))
		styled_line_add(line, "  ");
	else if (list->is_unfolded[row])
		styled_line_add_sign(line, "▾ ", "v ");
	else
		styled_line_add_sign(line, "▸ ", "> ");
}

static bool is_function(const struct diff_row *row)
{
	return row->kind == ROW_USER || row->kind == ROW_KERNEL || row->kind == ROW_INLINE;
}

static void add_name(struct styled_line *line, const struct diff_row *row, unsigned columns)
{
	_cleanup_free_ char *simple = is_function(row) ? simple_name_make(row->name, false) : NULL;
	_cleanup_free_ char *name =
		short_name_fit(simple ? simple : row->name, columns, line->utf8);

	styled_line_add_cut(line, name ? name : row->name, columns);
}

void change_text_row(const struct change_list *list, uint32_t index, struct styled_line *line)
{
	const uint32_t row = list->lines[index];
	const struct diff_row *of = &list->diff->rows.rows[row];
	const bool has_module = line->max_columns >= WIDTH_FOR_MODULES && *of->module;
	const unsigned end = has_module ? line->max_columns - MODULE_WIDTH - 2 : line->max_columns;
	const bool is_significant =
		diff_change_is_significant(change_list_change(list, row, list->order.measure));

	add_numbers(list, line, row);
	styled_line_set(line, is_significant ? STYLE_PLAIN : STYLE_DIM);
	styled_line_add(line, " ");
	add_fold_mark(list, line, row);
	add_name(line, of, end > line->columns ? end - line->columns : 0);
	if (!has_module)
		return;
	styled_line_pad(line, line->max_columns - MODULE_WIDTH);
	styled_line_set(line, STYLE_DIM);
	styled_line_add_cut(line, of->module, MODULE_WIDTH);
}

void change_text_name(const struct change_list *list, struct styled_line *line)
{
	const uint32_t row = change_list_current(list);

	if (row == DIFF_NO_ROW) {
		styled_line_add(line, list->order.significant_only
					      ? " Nothing moved by more than chance."
					      : " No samples.");
		return;
	}
	const struct diff_row *of = &list->diff->rows.rows[row];
	styled_line_add(line, " ");
	styled_line_set(line, STYLE_HEADING);
	styled_line_add_cut(line, of->name, line->max_columns * 2 / 3);
	styled_line_set(line, STYLE_PLAIN);
	styled_line_add(line, *of->module ? "  " : "");
	styled_line_add_cut(line, of->module, line->max_columns - line->columns);
}

static void add_measure(const struct change_list *list, struct styled_line *line, uint32_t row,
			enum diff_measure measure)
{
	const struct diff_change *change = change_list_change(list, row, measure);
	const size_t metric = list->order.metric;
	char before[DIFF_VALUE_SIZE], after[DIFF_VALUE_SIZE], moved[DIFF_VALUE_SIZE],
		error[DIFF_VALUE_SIZE];

	diff_format_value(list->diff, metric, before, change->result.values[DIFF_BEFORE]);
	diff_format_value(list->diff, metric, after, change->result.values[DIFF_AFTER]);
	diff_format_change(list->diff, metric, moved, diff_change_of(change));
	diff_format_error(list->diff, metric, error, change->result.error);
	styled_line_add_whole(line, " %s %s, then %s: %s, error %s", measures[measure], before,
			      after, moved, error);
	if (!isnan(change->q))
		styled_line_add_whole(line, ", q %.2g ", change->q);
}

void change_text_costs(const struct change_list *list, struct styled_line *line)
{
	const uint32_t row = change_list_current(list);

	if (row == DIFF_NO_ROW)
		return;
	add_measure(list, line, row, DIFF_TOTAL);
	add_measure(list, line, row, DIFF_SELF);
}
