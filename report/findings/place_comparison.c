#include "report/findings/place_comparison.h"

#include <math.h>

#include "cct/text/name_pattern.h"

static bool add_row(const struct view *view, struct compared_place *place,
		    const struct view_row *row, uint32_t metric)
{
	const bool is_total = view->options.sort == SORT_TOTAL;

	if (!name_pattern_matches(place->pattern, row->name))
		return false;
	place->n_functions++;
	place->samples += is_total ? row->samples[metric] : row->self_samples[metric];
	place->weight += is_total ? row->total[metric] : row->self[metric];
	return true;
}

struct place_comparison places_compare(const struct view *view, uint32_t metric,
				       const char *const patterns[2])
{
	struct place_comparison comparison = {
		.places = { { .pattern = patterns[0] }, { .pattern = patterns[1] } },
	};
	struct compared_place *first = &comparison.places[0], *second = &comparison.places[1];

	for (const struct view_row *row = view->root->children; row; row = row->next) {
		bool is_first = add_row(view, first, row, metric);
		bool is_second = add_row(view, second, row, metric);

		comparison.n_common += is_first && is_second;
	}
	comparison.limit = 2 * sqrt((double)first->samples + (double)second->samples);
	comparison.differ =
		fabs((double)first->samples - (double)second->samples) > comparison.limit;
	return comparison;
}
