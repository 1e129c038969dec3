/* Decides which rows are shown, and sums up the hidden ones. */
#ifndef REPORT_TEXT_TEXT_SUMS_H
#define REPORT_TEXT_TEXT_SUMS_H

#include "report/text/text.h"

/* Sums from this percentage on get a line, however high the threshold for rows is. */
#define TEXT_MIN_SUM_PERCENT 0.5

/* The sums of the numbers of hidden rows. */
struct text_sums {
	uint64_t total[TEXT_MAX_METRICS]; /* by column, of rows below the threshold */
	uint64_t self[TEXT_MAX_METRICS];
	uint64_t samples[TEXT_MAX_METRICS];
	/* Of a ratio's metrics: [0] the numerator's, [1] the denominator's. */
	uint64_t ratio_total[TEXT_MAX_RATIOS][2], ratio_self[TEXT_MAX_RATIOS][2];
	uint64_t longest; /* wait */
	uint64_t activations;
	unsigned n_rows;
};

/* Whether the row reaches options->min_percent in a metric that is shown, or is a phase. */
bool text_is_visible(const struct text *text, const struct view_row *row);
void text_sums_add(const struct text *text, struct text_sums *sums, const struct view_row *row);
/* Whether the sum is large enough for a line. */
bool text_sums_visible(const struct text *text, const struct text_sums *sums);

#endif
