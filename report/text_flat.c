/* The flat views as text: a table. */
#include "report/text.h"

static const char *name_heading(const struct text *text)
{
	switch (text->view->options.kind) {
	case VIEW_MODULES:
		return "module";
	case VIEW_PROCESSES:
		return text->view->options.grouping == GROUP_THREAD ? "process, thread" : "process";
	default:
		return "function";
	}
}

void text_write_flat(struct text *text)
{
	const struct view_row *first = text->view->root->children;
	struct text_sums more = { .n_rows = 0 };

	for (const struct view_row *row = first; row; row = row->next) {
		if (text_is_visible(text, row))
			text_measure(text, text_title_width(text, row), row);
	}
	if (text->view->options.kind == VIEW_MODULES)
		text->module_width = 0;
	text_lay_out(text);
	text_write_columns_heading(text, name_heading(text));
	for (const struct view_row *row = first; row; row = row->next) {
		if (!text_is_visible(text, row)) {
			text_add_sums(text, &more, row);
			continue;
		}
		text_write_numbers(text, row, NULL);
		text_write_title(text, row, 0);
	}
	if (!more.n_rows)
		return;
	/* Inclusive numbers of several functions do not add up. */
	for (uint32_t i = 0; text->show_self && i < text->n_metrics; i++)
		more.total[i] = more.samples[i] = 0;
	for (uint32_t i = 0; text->show_self && i < text->n_ratios; i++)
		more.ratio_total[i][1] = 0;
	text_write_numbers(text, NULL, &more);
	text_write_more(text, &more);
}
