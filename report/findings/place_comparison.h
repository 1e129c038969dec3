/*
 * Whether one place of a program has more samples than another, in one run (Blake and Bauer 2002,
 * PCT: counts differ when n1 - n2 > 2 sqrt(n1 + n2)).
 */
#ifndef REPORT_FINDINGS_PLACE_COMPARISON_H
#define REPORT_FINDINGS_PLACE_COMPARISON_H

#include "report/views/view_rows.h"

/*
 * The functions that a name or glob names. Without what they call, no sample is in two of them.
 * With it, a sample may be in both places; then the limit is larger than it has to be.
 */
struct compared_place {
	const char *pattern; /* borrowed */
	uint32_t n_functions;
	uint64_t samples, weight;
};

struct place_comparison {
	struct compared_place places[2];
	uint32_t n_common; /* functions of both places */
	double limit;      /* of the difference of samples; chance exceeds it 5 times in 100 */
	bool differ;
};

/* @view: VIEW_FUNCTIONS; if it is sorted by total, what functions call counts, too. */
struct place_comparison places_compare(const struct view *view, uint32_t metric,
				       const char *const patterns[2]);

#endif
