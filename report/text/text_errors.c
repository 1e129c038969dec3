#include "report/text/text_errors.h"

#include <limits.h>
#include <stdio.h>

#include "cct/base/printable.h"
#include "report/text/text_sums.h"

/* Views with tables of other columns. */
static bool has_other_columns(const struct text *text)
{
	return text->view->options.kind == VIEW_HOT || text->view->options.kind == VIEW_STATS;
}

static bool has_self(const struct text *text)
{
	return view_traits(text->view->options.kind)->has_self &&
	       text->view->options.direction == PATHS_DOWN;
}

void text_errors_init(struct text *text)
{
	if (!text->view->options.errors || has_other_columns(text))
		return;
	text->has_errors[SHARE_TOTAL] = true;
	text->has_errors[SHARE_SELF] = has_self(text);
}

static bool is_exact(const struct text *text, uint32_t metric)
{
	return metric_is_exact(&text->view->profile->metrics[metric]);
}

static bool is_inexact(const struct text *text, const struct view_row *row, uint32_t metric,
		       enum share_kind kind)
{
	const uint64_t *samples = kind == SHARE_SELF ? row->self_samples : row->samples;

	return samples && samples[metric] && samples[metric] < SHARE_FEW_SAMPLES &&
	       !is_exact(text, metric);
}

static bool error_of(const struct text *text, const struct view_row *row, uint32_t metric,
		     enum share_kind kind, struct share_error *error_ret)
{
	uint64_t cost = kind == SHARE_SELF ? row->self[metric] : row->total[metric];

	if (!cost || (!text->view->options.errors && !is_inexact(text, row, metric, kind)))
		return false;
	return row_error(text->view, row, metric, kind, error_ret);
}

static bool is_row_inexact(const struct text *text, const struct view_row *row,
			   enum share_kind kind)
{
	for (uint32_t i = 0; i < text->n_metrics; i++) {
		if (is_inexact(text, row, text->metrics[i], kind))
			return true;
	}
	return false;
}

/* Whether a row that is shown has such a share. */
static bool has_inexact_rows(const struct text *text, enum share_kind kind)
{
	const struct view_row *row = text->view->root->children;
	unsigned depth = 1, max_depth = text->options->max_depth;

	while (row) {
		bool is_visible = text_is_visible(text, row);

		if (is_visible && is_row_inexact(text, row, kind))
			return true;
		if (is_visible && row->children && (!max_depth || depth < max_depth)) {
			row = row->children;
			depth++;
			continue;
		}
		for (; depth > 1 && !row->next; depth--)
			row = row->parent;
		row = row->next;
	}
	return false;
}

void text_errors_choose(struct text *text, unsigned width)
{
	static const enum share_kind kinds[] = { SHARE_TOTAL, SHARE_SELF };

	if (!text->options->marks_few || text->view->options.errors || has_other_columns(text))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		unsigned needed = TEXT_ERROR_WIDTH * text->n_metrics;

		if (needed > width || (kinds[i] == SHARE_SELF && !text->show_self) ||
		    !has_inexact_rows(text, kinds[i]))
			continue;
		text->has_errors[kinds[i]] = true;
		width -= needed;
	}
}

unsigned text_errors_width(const struct text *text)
{
	return TEXT_ERROR_WIDTH *
	       (unsigned)(text->has_errors[SHARE_TOTAL] + text->has_errors[SHARE_SELF]);
}

void text_errors_write_heading(const struct text *text, enum share_kind kind)
{
	if (text->has_errors[kind])
		fprintf(text->output.file, "%*s ", TEXT_ERROR_WIDTH - 1, "error");
}

void text_errors_write(const struct text *text, const struct view_row *row, uint32_t metric,
		       enum share_kind kind)
{
	struct share_error error;

	if (!text->has_errors[kind])
		return;
	if (!row || !error_of(text, row, metric, kind, &error)) {
		fprintf(text->output.file, "%*s", TEXT_ERROR_WIDTH, "");
		return;
	}
	double percent = 100 * error.error;
	text_style_begin(&text->output, STYLE_DIM);
	if (is_exact(text, metric))
		fprintf(text->output.file, "%*s ", TEXT_ERROR_WIDTH - 1, "exact");
	else
		fprintf(text->output.file, "%s%.*f ", text->output.utf8 ? " ±" : "+-",
			percent < 9.995 ? 2 : 1, percent);
	text_style_end(&text->output, STYLE_DIM);
}

/* Of the events that are shown. */
static uint32_t count_exact(const struct text *text)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < text->n_metrics; i++)
		n += is_exact(text, text->metrics[i]);
	return n;
}

/* "Shares of off-cpu and syscalls are exact", for the events that are shown. */
static void write_exact_events(const struct text *text)
{
	const uint32_t n = count_exact(text);
	uint32_t n_written = 0;

	if (!n)
		return;
	fputs("Shares of ", text->output.file);
	for (uint32_t i = 0; i < text->n_metrics; i++) {
		if (!is_exact(text, text->metrics[i]))
			continue;
		if (n_written++)
			fputs(n_written == n ? " and " : ", ", text->output.file);
		printable_write(text->output.file,
				text->view->profile->metrics[text->metrics[i]].name, UINT_MAX,
				text->output.utf8);
	}
	fputs(" are exact: each occurrence was recorded.\n", text->output.file);
}

void text_errors_write_note(const struct text *text)
{
	const char *mark = text->output.utf8 ? "±" : "+-";

	if (!text->has_errors[SHARE_TOTAL] && !text->has_errors[SHARE_SELF])
		return;
	fprintf(text->output.file, "\n%s: the standard error of sampling", mark);
	if (text->view->options.errors)
		fputs(".\n", text->output.file);
	else
		fprintf(text->output.file,
			", of shares with\nfewer than %d samples (--errors: all).\n",
			SHARE_FEW_SAMPLES);
	write_exact_events(text);
}
