#include "report/diff/diff_statistics.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "report/diff/dispersion.h"
#include "report/diff/distributions.h"
#include "report/fold/share_error.h"

#define BOTH_SIDES ((1u << DIFF_BEFORE) | (1u << DIFF_AFTER))

struct comparison {
	enum diff_kind kind;
	const struct diff_run *runs;
	size_t n_runs;
	double sums[N_DIFF_SIDES]; /* of the runs' divisors */
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

/* The mean weight of a row's samples in a run. Without samples there, that of a sample of the run
 * is the best guess. */
static double sample_weight(const struct comparison *comparison, const struct diff_cost *costs,
			    size_t run)
{
	return costs[run].samples ? mean_weight(&costs[run])
				  : mean_weight(&comparison->runs[run].cost);
}

static double squares_of_run(const struct comparison *comparison, size_t run)
{
	const struct diff_cost *cost = &comparison->runs[run].cost;

	return cost->squares > 0 ? cost->squares : mean_weight(cost) * (double)cost->weight;
}

/* Likewise the mean of the weights of samples that are drawn by their weight: with equal ones, the
 * same. */
static double square_weight(const struct comparison *comparison, const struct diff_cost *costs,
			    size_t run)
{
	const struct diff_cost *cost =
		costs[run].samples ? &costs[run] : &comparison->runs[run].cost;

	return cost->squares > 0 && cost->weight ? cost->squares / (double)cost->weight
						 : mean_weight(cost);
}

/* The variance of a row's value in a run, if it were drawn with the probability or rate @value. */
static double variance_in_run(const struct comparison *comparison, const struct diff_cost *costs,
			      size_t run, double value)
{
	double weight = square_weight(comparison, costs, run), by = divisor(comparison, run);

	if (by <= 0)
		return 0;
	if (comparison->kind == DIFF_RATES)
		return value * weight / by;
	/* A share above 1 and a sum below its part are those of a damaged profile. */
	double share = fmin(value, 1), inside = share * by * weight;
	double all = fmax(squares_of_run(comparison, run), inside);
	return share_variance(share, inside, all, by);
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

/* How many samples a row with the value 1 would have on a side. */
static double exposure_of_side(const struct comparison *comparison, const struct diff_cost *costs,
			       enum diff_side side)
{
	double sum = 0;

	for (size_t i = 0; i < comparison->n_runs; i++) {
		double weight = sample_weight(comparison, costs, i);

		if (comparison->runs[i].side == side && weight > 0)
			sum += divisor(comparison, i) / weight;
	}
	return sum;
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
			    variance_in_run(comparison, costs, i, values[comparison->runs[i].side]);
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
		double variance = variance_in_run(comparison, costs, i, side);

		if (by <= 0 || variance <= 0)
			continue;
		double distance = (double)costs[i].weight / by - side;
		sum += distance * distance / variance;
	}
	return sum / degrees;
}

/*
 * The probability of a difference like that between the sides by chance. Samples count less, or
 * more, than single draws would, as far as the variance is not that of such counts: that of a share
 * is smaller, and that between runs is larger.
 */
static double probability(const struct comparison *comparison, const struct diff_cost *costs,
			  double distance, double dispersion, double degrees)
{
	double before = exposure_of_side(comparison, costs, DIFF_BEFORE);
	double after = exposure_of_side(comparison, costs, DIFF_AFTER);
	double n = (double)count_samples(comparison, costs, BOTH_SIDES);
	double n_after = (double)count_samples(comparison, costs, 1u << DIFF_AFTER);
	double common = n / (before + after);
	double equal[N_DIFF_SIDES] = { common, common };
	double variance = dispersion * variance_of_difference(comparison, costs, equal);

	if (before <= 0 || after <= 0 || variance <= 0)
		return 1;
	double per_sample = common * (1 / before + 1 / after) / variance;
	double exact =
		binomial_both_tails(n_after * per_sample, n * per_sample, after / (before + after));
	return fmax(exact, student_both_tails(distance / sqrt(variance), degrees));
}

static void compare_row(const struct comparison *comparison, const struct diff_cost *costs,
			double dispersion, double degrees, struct diff_result *result)
{
	double distance = fabs(result->values[DIFF_AFTER] - result->values[DIFF_BEFORE]);
	double variance = variance_of_difference(comparison, costs, result->values);

	dispersion = fmax(dispersion, 1);
	result->error = sqrt(fmax(dispersion * variance, 0));
	result->p = NAN;
	if (count_samples(comparison, costs, BOTH_SIDES) >= DIFF_MIN_SAMPLES)
		result->p = probability(comparison, costs, distance, dispersion, degrees);
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
	struct comparison comparison = { .kind = kind, .runs = runs, .n_runs = n_runs };

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
