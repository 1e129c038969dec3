#include "report/findings/row_error.h"

#include <math.h>

#include "report/fold/fold.h"

/* The sums of a row from the columns that a fold with errors has. */
static struct share_sum sum_of_columns(const struct view *view, const uint64_t *costs,
				       uint32_t metric)
{
	const uint64_t *columns = costs + fold_error_columns(view->profile->n_metrics, metric);

	return (struct share_sum){
		.weight = (double)costs[metric],
		.squares = (double)columns[FOLD_SQUARES_LOW] +
			   ldexp((double)columns[FOLD_SQUARES_HIGH], FOLD_SQUARES_LOW_BITS),
		.samples = columns[FOLD_SAMPLES],
	};
}

static struct share_sum sum_of_equals(uint64_t weight, uint64_t samples)
{
	struct share_sum sum = { .weight = (double)weight, .samples = samples };

	if (samples)
		sum.squares = sum.weight * sum.weight / (double)samples;
	return sum;
}

bool row_error(const struct view *view, const struct view_row *row, uint32_t metric,
	       enum share_kind kind, struct share_error *error_ret)
{
	const struct view_row *root = view->root;
	const uint64_t *costs = kind == SHARE_SELF ? row->self : row->total;
	const uint64_t *samples = kind == SHARE_SELF ? row->self_samples : row->samples;
	struct share_sum in, all;

	if (view->options.errors) {
		in = sum_of_columns(view, costs, metric);
		all = sum_of_columns(view, root->total, metric);
	} else if (samples) {
		in = sum_of_equals(costs[metric], samples[metric]);
		all = sum_of_equals(root->total[metric], root->samples[metric]);
	} else {
		return false;
	}
	return share_error_of(&in, &all, error_ret);
}
