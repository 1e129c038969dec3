#include "report/diff/diff_statistics.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "report/diff/dispersion.h"
#include "report/diff/distributions.h"

#define BOTH_SIDES ((1u << DIFF_BEFORE) | (1u << DIFF_AFTER))

struct comparison {
	enum diff_kind kind;
	const struct diff_run *runs;
	size_t n_runs;
	double sums[N_DIFF_SIDES]; /* of the runs' divisors */
	struct diff_cost *outside; /* room for what each run has beside a row */
};

static double divisor(const struct comparison *comparison, size_t run)
{
	const struct diff_run *of = &comparison->runs[run];

	return comparison->kind == DIFF_SHARES ? (double)of->cost.weight : of->amount;
}

/* A run's part of its side, from 0 to 1. */
static double part_of_side(const struct comparison *comparison, size_t run)
{
	double sum = comparison->sums[comparison->runs[run].side];

	return sum > 0 ? divisor(comparison, run) / sum : 0;
}

static double mean_weight(const struct diff_cost *cost)
{
	return cost->samples ? (double)cost->weight / (double)cost->samples : 0;
}

static double squares_of_run(const struct comparison *comparison, size_t run)
{
	const struct diff_cost *cost = &comparison->runs[run].cost;

	return cost->squares > 0 ? cost->squares : mean_weight(cost) * (double)cost->weight;
}

/* Likewise the mean of the weights of samples that are drawn by their weight: with equal ones, the
 * same. @cost: of a part of the run. */
static double square_weight(const struct comparison *comparison, const struct diff_cost *cost,
			    size_t run)
{
	const struct diff_cost *known = cost->samples ? cost : &comparison->runs[run].cost;

	return known->squares > 0 && known->weight ? known->squares / (double)known->weight
						   : mean_weight(known);
}

/* What a run has beside a row. A row with more than its run is that of a damaged profile. */
static struct diff_cost cost_outside(const struct comparison *comparison,
				     const struct diff_cost *costs, size_t run)
{
	const struct diff_cost *all = &comparison->runs[run].cost, *in = &costs[run];
	double inside = square_weight(comparison, in, run) * (double)in->weight;

	return (struct diff_cost){
		.weight = all->weight > in->weight ? all->weight - in->weight : 0,
		.samples = all->samples > in->samples ? all->samples - in->samples : 0,
		.squares = fmax(squares_of_run(comparison, run) - inside, 0),
	};
}

/*
 * The variance of a row's value in a run, if it were drawn with the probability or rate @value. Of
 * a share p it is that of report/fold/share_error.h, ((1 - p)^2 sum_in w^2 + p^2 sum_out w^2) /
 * W^2, with the sums that so many weights like those inside and outside would have. @inside: the
 * square weight of the samples inside.
 */
static double variance_in_run(const struct comparison *comparison, const struct diff_cost *costs,
			      size_t run, double value, double inside)
{
	double by = divisor(comparison, run);

	if (by <= 0)
		return 0;
	if (comparison->kind == DIFF_RATES)
		return value * inside / by;
	const struct diff_cost rest = cost_outside(comparison, costs, run);
	double share = fmin(value, 1), outside = square_weight(comparison, &rest, run);
	return share * (1 - share) * ((1 - share) * inside + share * outside) / by;
}

static double value_of_side(const struct comparison *comparison, const struct diff_cost *costs,
			    enum diff_side side)
{
	double sum = 0;

	for (size_t i = 0; i < comparison->n_runs; i++) {
		if (comparison->runs[i].side == side)
			sum += (double)costs[i].weight;
	}
	return comparison->sums[side] > 0 ? sum / comparison->sums[side] : 0;
}

static uint64_t count_samples(const struct comparison *comparison, const struct diff_cost *costs,
			      unsigned sides)
{
	uint64_t n = 0;

	for (size_t i = 0; i < comparison->n_runs; i++) {
		if (sides & 1u << comparison->runs[i].side)
			n += costs[i].samples;
	}
	return n;
}

/* The variance of the difference between both sides, whose values are drawn with @values. */
static double variance_of_difference(const struct comparison *comparison,
				     const struct diff_cost *costs, const double *values)
{
	double variance = 0;

	for (size_t i = 0; i < comparison->n_runs; i++) {
		double part = part_of_side(comparison, i);

		variance += part * part *
			    variance_in_run(comparison, costs, i, values[comparison->runs[i].side],
					    square_weight(comparison, &costs[i], i));
	}
	return variance;
}

/* Pearson's X^2 of the runs about their sides' values, over @degrees of freedom. */
static double dispersion_between_runs(const struct comparison *comparison,
				      const struct diff_cost *costs, const double *values,
				      double degrees)
{
	double sum = 0;

	for (size_t i = 0; i < comparison->n_runs; i++) {
		double side = values[comparison->runs[i].side], by = divisor(comparison, i);
		double weight = square_weight(comparison, &costs[i], i);
		double variance = variance_in_run(comparison, costs, i, side, weight);

		if (by <= 0 || variance <= 0)
			continue;
		double distance = (double)costs[i].weight / by - side;
		sum += distance * distance / variance;
	}
	return sum / degrees;
}

/*
 * If nothing changed, the samples of a row have the same weights in all runs, over the mean weight
 * of the run's samples.
 */
struct common_weights {
	double mean;   /* of the row's samples */
	double square; /* of those that are drawn by their weight */
};

static struct common_weights common_weights(const struct comparison *comparison,
					    const struct diff_cost *costs)
{
	double samples = 0, weights = 0, squares = 0;

	for (size_t i = 0; i < comparison->n_runs; i++) {
		double unit = mean_weight(&comparison->runs[i].cost);

		if (!costs[i].samples || unit <= 0)
			continue;
		samples += (double)costs[i].samples;
		weights += (double)costs[i].weight / unit;
		squares += square_weight(comparison, &costs[i], i) * (double)costs[i].weight /
			   (unit * unit);
	}
	return (struct common_weights){ .mean = samples > 0 ? weights / samples : 0,
					.square = weights > 0 ? squares / weights : 0 };
}

/* How many samples a row with the value 1 would have on a side. */
static double exposure_of_side(const struct comparison *comparison, enum diff_side side,
			       const struct common_weights *weights)
{
	double sum = 0;

	for (size_t i = 0; i < comparison->n_runs; i++) {
		double weight = weights->mean * mean_weight(&comparison->runs[i].cost);

		if (comparison->runs[i].side == side && weight > 0)
			sum += divisor(comparison, i) / weight;
	}
	return sum;
}

/* The variance of the difference, if both sides are drawn with the value @common. */
static double variance_of_equals(const struct comparison *comparison, const struct diff_cost *costs,
				 double common, const struct common_weights *weights)
{
	double variance = 0;

	for (size_t i = 0; i < comparison->n_runs; i++) {
		double part = part_of_side(comparison, i);
		double weight = weights->square * mean_weight(&comparison->runs[i].cost);

		variance += part * part * variance_in_run(comparison, costs, i, common, weight);
	}
	return variance;
}

/*
 * The probability of a difference like that between the sides by chance. Samples count less, or
 * more, than single draws would, as far as the variance is not that of such counts: that of a share
 * is smaller, and that between runs is larger.
 */
static double probability(const struct comparison *comparison, const struct diff_cost *costs,
			  double distance, double dispersion, double degrees)
{
	const struct common_weights weights = common_weights(comparison, costs);
	double before = exposure_of_side(comparison, DIFF_BEFORE, &weights);
	double after = exposure_of_side(comparison, DIFF_AFTER, &weights);
	double n = (double)count_samples(comparison, costs, BOTH_SIDES);
	double n_after = (double)count_samples(comparison, costs, 1u << DIFF_AFTER);
	double common = n / (before + after);
	double variance = dispersion * variance_of_equals(comparison, costs, common, &weights);

	if (before <= 0 || after <= 0 || variance <= 0)
		return 1;
	double per_sample = common * (1 / before + 1 / after) / variance;
	double exact =
		binomial_both_tails(n_after * per_sample, n * per_sample, after / (before + after));
	return fmax(exact, student_both_tails(distance / sqrt(variance), degrees));
}

/* The part of the runs that tells a share: a row, or all beside it, whichever has fewer samples. */
static const struct diff_cost *smaller_part(const struct comparison *comparison,
					    const struct diff_cost *costs)
{
	if (comparison->kind == DIFF_RATES)
		return costs;
	for (size_t i = 0; i < comparison->n_runs; i++)
		comparison->outside[i] = cost_outside(comparison, costs, i);
	return count_samples(comparison, comparison->outside, BOTH_SIDES) <
			       count_samples(comparison, costs, BOTH_SIDES)
		       ? comparison->outside
		       : costs;
}

static void compare_row(const struct comparison *comparison, const struct diff_cost *costs,
			double dispersion, double degrees, struct diff_result *result)
{
	const struct diff_cost *tested = smaller_part(comparison, costs);
	double distance = fabs(result->values[DIFF_AFTER] - result->values[DIFF_BEFORE]);
	double variance = variance_of_difference(comparison, costs, result->values);

	dispersion = fmax(dispersion, 1);
	result->error = sqrt(fmax(dispersion * variance, 0));
	result->p = NAN;
	if (count_samples(comparison, tested, BOTH_SIDES) >= DIFF_MIN_SAMPLES)
		result->p = probability(comparison, tested, distance, dispersion, degrees);
}

static double degrees_of_freedom(const struct comparison *comparison)
{
	return comparison->n_runs > N_DIFF_SIDES ? (double)(comparison->n_runs - N_DIFF_SIDES) : 0;
}

/* A row with nearly no samples in the runs, or nearly all, varies too little to tell how much. */
static bool tells_dispersion(const struct comparison *comparison, const struct diff_cost *costs)
{
	uint64_t least = DIFF_MIN_SAMPLES * comparison->n_runs, all = 0;
	uint64_t inside = count_samples(comparison, costs, BOTH_SIDES);

	for (size_t i = 0; i < comparison->n_runs; i++)
		all += comparison->runs[i].cost.samples;
	return inside >= least && all - inside >= least;
}

/* What the dispersions of these rows have in common. @chosen: room for as many. */
static struct dispersion_prior fit(const struct comparison *comparison,
				   const struct diff_cost *costs, size_t n_rows,
				   const double *dispersions, double *chosen)
{
	size_t n = 0;

	for (size_t i = 0; i < n_rows; i++) {
		if (tells_dispersion(comparison, costs + i * comparison->n_runs))
			chosen[n++] = dispersions[i];
	}
	return dispersion_fit(chosen, n, degrees_of_freedom(comparison));
}

static int compare_with_dispersions(const struct comparison *comparison,
				    const struct diff_cost *costs, size_t n_rows,
				    struct diff_result *results)
{
	double degrees = degrees_of_freedom(comparison);
	_cleanup_free_ double *dispersions = calloc(n_rows + 1, sizeof(*dispersions));
	_cleanup_free_ double *chosen = calloc(n_rows + 1, sizeof(*chosen));

	if (!dispersions || !chosen)
		return -ENOMEM;
	for (size_t i = 0; i < n_rows; i++)
		dispersions[i] = dispersion_between_runs(comparison, costs + i * comparison->n_runs,
							 results[i].values, degrees);
	struct dispersion_prior prior = fit(comparison, costs, n_rows, dispersions, chosen);
	for (size_t i = 0; i < n_rows; i++) {
		double known,
			moderated = dispersion_moderate(&prior, dispersions[i], degrees, &known);

		compare_row(comparison, costs + i * comparison->n_runs, moderated, known,
			    &results[i]);
	}
	return 0;
}

int diff_compare(enum diff_kind kind, const struct diff_run *runs, size_t n_runs,
		 const struct diff_cost *costs, size_t n_rows, struct diff_result *results)
{
	_cleanup_free_ struct diff_cost *outside = calloc(n_runs + 1, sizeof(*outside));
	struct comparison comparison = {
		.kind = kind, .runs = runs, .n_runs = n_runs, .outside = outside
	};

	if (!outside)
		return -ENOMEM;
	for (size_t i = 0; i < n_runs; i++)
		comparison.sums[runs[i].side] += divisor(&comparison, i);
	for (size_t i = 0; i < n_rows; i++) {
		for (int side = 0; side < N_DIFF_SIDES; side++)
			results[i].values[side] = value_of_side(&comparison, costs + i * n_runs,
								(enum diff_side)side);
	}
	if (degrees_of_freedom(&comparison) > 0)
		return compare_with_dispersions(&comparison, costs, n_rows, results);
	for (size_t i = 0; i < n_rows; i++)
		compare_row(&comparison, costs + i * n_runs, 1, INFINITY, &results[i]);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const double *x = *(double *const *)a, *y = *(double *const *)b;

	return (*x > *y) - (*x < *y);
}

/* 1 + 1/2 + ... + 1/@n */
static double harmonic_number(size_t n)
{
	double sum = 0;

	for (size_t i = 1; i <= n; i++)
		sum += 1 / (double)i;
	return sum;
}

int diff_adjust(double *p, size_t n, bool share_samples)
{
	_cleanup_free_ double **sorted = calloc(n + 1, sizeof(*sorted));
	size_t n_tests = 0;
	double least = 1;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			sorted[n_tests++] = &p[i];
	}
	qsort(sorted, n_tests, sizeof(*sorted), by_value);
	double n_counted = (double)n_tests * (share_samples ? harmonic_number(n_tests) : 1);
	for (size_t i = n_tests; i-- > 0;) {
		least = fmin(least, *sorted[i] * n_counted / (double)(i + 1));
		*sorted[i] = least;
	}
	return 0;
}
