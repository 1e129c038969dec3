#include "report/fold/share_error.h"

#include <math.h>

/* Standard deviations to each side of an interval that holds 95 % of a normal distribution. */
#define DEVIATIONS 1.959963984540054

double share_variance(double share, double squares_in, double squares_all, double weight_all)
{
	if (weight_all <= 0)
		return 0;
	return ((1 - 2 * share) * squares_in + share * share * squares_all) /
	       (weight_all * weight_all);
}

/* How many equal samples have such a variance. */
static double effective_samples(double share, double variance, const struct share_sum *all)
{
	if (variance > 0 && share > 0 && share < 1)
		return share * (1 - share) / variance;
	return all->squares > 0 ? all->weight * all->weight / all->squares : 0;
}

static void set_wilson(struct share_error *error, double n)
{
	const double z2 = DEVIATIONS * DEVIATIONS, share = error->share;
	double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
	double half = DEVIATIONS * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n);

	/* Rounding must not exclude the share itself. */
	error->low = share > 0 ? fmax(middle - half, 0) : 0;
	error->high = share < 1 ? fmin(middle + half, 1) : 1;
	error->error = half / DEVIATIONS;
}

bool share_error_of(const struct share_sum *in, const struct share_sum *all,
		    struct share_error *error_ret)
{
	if (all->weight <= 0 || all->squares <= 0)
		return false;
	struct share_error error = { .share = fmin(in->weight / all->weight, 1) };
	/* Rounded sums may leave a little less than nothing. */
	double variance =
		fmax(share_variance(error.share, in->squares, all->squares, all->weight), 0);
	uint64_t n_outside = all->samples > in->samples ? all->samples - in->samples : 0;

	if (in->samples < SHARE_FEW_SAMPLES || n_outside < SHARE_FEW_SAMPLES) {
		set_wilson(&error, effective_samples(error.share, variance, all));
	} else {
		error.error = sqrt(variance);
		error.low = fmax(error.share - DEVIATIONS * error.error, 0);
		error.high = fmin(error.share + DEVIATIONS * error.error, 1);
	}
	*error_ret = error;
	return true;
}
