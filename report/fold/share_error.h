/*
 * How exact a share of a profile's cost is. Samples are draws, so a function that ran for a tenth
 * of the time has a tenth of the samples only on average.
 */
#ifndef REPORT_FOLD_SHARE_ERROR_H
#define REPORT_FOLD_SHARE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/* With fewer samples inside or outside a share, its errors are those of Wilson's interval. */
#define SHARE_FEW_SAMPLES 30

/* What a part of the samples, or all of them, add up to. */
struct share_sum {
	double weight;
	double squares; /* of the samples' weights */
	uint64_t samples;
};

/* All are shares, from 0 to 1. */
struct share_error {
	double share;
	double error;     /* one standard deviation */
	double low, high; /* the interval that holds the true share 95 times in 100 */
};

/*
 * The variance of a share p = in / W of weighted samples (of a ratio's estimator, by the delta
 * method):
 *
 *	((1 - 2p) sum_in w^2 + p^2 sum_all w^2) / W^2
 *
 * With equal weights it is p (1 - p) / n. @squares_in may be the mean weight times the weight
 * inside. 0 without weight.
 */
double share_variance(double share, double squares_in, double squares_all, double weight_all);

/*
 * From SHARE_FEW_SAMPLES samples on, inside and outside, the interval is 1.96 standard deviations
 * to both sides. With fewer it is Wilson's (Journal of the American Statistical Association 22,
 * 1927), of as many equal samples as have the same variance, and the error is its width over 2
 * * 1.96. False: @all has no weight.
 */
bool share_error_of(const struct share_sum *in, const struct share_sum *all,
		    struct share_error *error_ret);

#endif
