#include "report/text/text_sums.h"

#include "report/text/text_format.h"

static const uint64_t *totals(const struct text *text)
{
	return text->view->root->total;
}

bool text_is_visible(const struct text *text, const struct view_row *row)
{
	if (text->options->min_percent <= 0 || row->kind == ROW_PHASE)
		return true;
	for (uint32_t i = 0; i < text->n_metrics; i++) {
		uint32_t metric = text->metrics[i];

		if (row->total[metric] && text_percent(row->total[metric], totals(text)[metric]) >=
						  text->options->min_percent)
			return true;
	}
	return false;
}

void text_sums_add(const struct text *text, struct text_sums *sums, const struct view_row *row)
{
	sums->n_rows++;
	sums->activations += row->activations;
	sums->longest = row->longest > sums->longest ? row->longest : sums->longest;
	for (uint32_t i = 0; i < text->n_metrics; i++) {
		sums->total[i] += row->total[text->metrics[i]];
		sums->self[i] += row->self[text->metrics[i]];
		sums->samples[i] += row->samples[text->metrics[i]];
	}
	for (uint32_t i = 0; i < text->n_ratios; i++) {
		const struct ratio *ratio = &text->options->ratios[i];

		sums->ratio_total[i][0] += row->total[ratio->numerator];
		sums->ratio_total[i][1] += row->total[ratio->denominator];
		sums->ratio_self[i][0] += row->self[ratio->numerator];
		sums->ratio_self[i][1] += row->self[ratio->denominator];
	}
}

bool text_sums_visible(const struct text *text, const struct text_sums *sums)
{
	double min_percent = text->options->min_percent < TEXT_MIN_SUM_PERCENT
				     ? text->options->min_percent
				     : TEXT_MIN_SUM_PERCENT;

	for (uint32_t i = 0; i < text->n_metrics && sums->n_rows; i++) {
		uint64_t sum = text->show_total ? sums->total[i] : sums->self[i];

		if (sum && text_percent(sum, totals(text)[text->metrics[i]]) >= min_percent)
			return true;
	}
	return false;
}
