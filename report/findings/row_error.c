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

bool row_share_sum(const struct view *view, const struct view_row *row, uint32_t metric,
		   enum share_kind kind, struct share_sum *sum_ret)
{
	const uint64_t *costs = kind == SHARE_SELF ? row->self : row->total;
	const uint64_t *samples = kind == SHARE_SELF ? row->self_samples : row->samples;

	if (view->options.errors)
		*sum_ret = sum_of_columns(view, costs, metric);
	else if (samples)
		*sum_ret = sum_of_equals(costs[metric], samples[metric]);
	return view->options.errors || samples;
}

bool row_error(const struct view *view, const struct view_row *row, uint32_t metric,
	       enum share_kind kind, struct share_error *error_ret)
{
	struct share_sum in, all;

	if (!row_share_sum(view, row, metric, kind, &in) ||
	    !row_share_sum(view, view->root, metric, SHARE_TOTAL, &all) ||
	    !share_error_of(&in, &all, error_ret))
		return false;
	if (metric_is_exact(&view->profile->metrics[metric])) {
		error_ret->error = 0;
		error_ret->low = error_ret->high = error_ret->share;
	}
	return true;
}
