/* Which rows are shown, and the sums of those that are not. */
#ifndef REPORT_TEXT_TEXT_SUMS_H
#define REPORT_TEXT_TEXT_SUMS_H

#include "report/text/text.h"

/* Sums are worth a line from here on, however high the threshold for rows is. */
#define TEXT_MIN_SUM_PERCENT 0.5

/* Numbers of rows that are summed up. */
struct text_sums {
	uint64_t total[TEXT_MAX_METRICS]; /* by column, of rows below the threshold */
	uint64_t self[TEXT_MAX_METRICS];
	uint64_t samples[TEXT_MAX_METRICS];
	/* Of a ratio's metrics: [0] the numerator's, [1] the denominator's. */
	uint64_t ratio_total[TEXT_MAX_RATIOS][2], ratio_self[TEXT_MAX_RATIOS][2];
	unsigned n_rows;
};

/* Reaches options->min_percent in a metric that is shown. */
bool text_is_visible(const struct text *text, const struct view_row *row);
void text_sums_add(const struct text *text, struct text_sums *sums, const struct view_row *row);
/* The sum is worth a line of its own. */
bool text_sums_visible(const struct text *text, const struct text_sums *sums);

#endif
