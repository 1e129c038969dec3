#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/diff/diff_statistics.h"

#define PERIOD 1000

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g, expected %.17g", value, expected);
}

static struct diff_run run_of(enum diff_side side, uint64_t samples, uint64_t period)
{
	return (struct diff_run){ .side = side,
				  .cost = { .weight = samples * period, .samples = samples },
				  .amount = 1 };
}

static double at_least(int hits, int n, double probability)
{
	double sum = 0;

	for (; hits <= n; hits++)
		sum += exp(lgamma(n + 1) - lgamma(hits + 1) - lgamma(n - hits + 1) +
			   hits * log(probability) + (n - hits) * log(1 - probability));
	return sum;
}

static void shares_differ_with_the_binomial_error(void **state)
{
	const struct diff_run runs[] = { run_of(DIFF_BEFORE, 1000, PERIOD),
					 run_of(DIFF_AFTER, 500, PERIOD) };
	const struct diff_cost costs[] = { { 200 * PERIOD, 200, 0 }, { 150 * PERIOD, 150, 0 } };
	struct diff_result result;

	(void)state;
	assert_int_equal(diff_compare(DIFF_SHARES, runs, 2, costs, 1, &result), 0);
	assert_near(result.values[DIFF_BEFORE], 0.2, 1e-12);
	assert_near(result.values[DIFF_AFTER], 0.3, 1e-12);
	assert_near(result.error, sqrt(0.2 * 0.8 / 1000 + 0.3 * 0.7 / 500), 1e-12);
	/* Of 350 samples, the 150 of a third of all are far more than by chance. */
	double p = 350. / 1500, z = 0.1 / sqrt(p * (1 - p) * 0.003);
	assert_in_range(1e12 * result.p, 1e12 * erfc(z / sqrt(2)), 2e12 * erfc(z / sqrt(2)));
}

static void rates_differ_with_the_error_of_counts(void **state)
{
	struct diff_run runs[] = { run_of(DIFF_BEFORE, 1000, PERIOD),
				   run_of(DIFF_AFTER, 500, PERIOD) };
	const struct diff_cost costs[] = { { 100 * PERIOD, 100, 0 }, { 100 * PERIOD, 100, 0 } };
	struct diff_result result;

	(void)state;
	runs[0].amount = 10;
	runs[1].amount = 5;
	assert_int_equal(diff_compare(DIFF_RATES, runs, 2, costs, 1, &result), 0);
	assert_near(result.values[DIFF_BEFORE], 10 * PERIOD, 1e-9);
	assert_near(result.values[DIFF_AFTER], 20 * PERIOD, 1e-9);
	assert_near(result.error, PERIOD * sqrt(100. / 100 + 100. / 25), 1e-9);
	assert_near(result.p, 2 * at_least(100, 200, 1. / 3), 1e-12);
}

static void few_samples_are_tested_exactly(void **state)
{
	struct diff_run runs[] = { run_of(DIFF_BEFORE, 1000, PERIOD),
				   run_of(DIFF_AFTER, 9000, PERIOD) };
	const struct diff_cost costs[] = {
		{ 4 * PERIOD, 4, 0 }, { 5 * PERIOD, 5, 0 }, { 0, 0, 0 }, { 7 * PERIOD, 7, 0 }
	};
	struct diff_result results[2];

	(void)state;
	runs[1].amount = 9;
	assert_int_equal(diff_compare(DIFF_RATES, runs, 2, costs, 2, results), 0);
	/* Four or more of nine samples before the change, with 0.1 each. */
	assert_near(results[0].p, 2 * at_least(4, 9, 0.1), 1e-10);
	assert_true(isnan(results[1].p));
}

static void a_heavy_sample_makes_a_share_uncertain(void **state)
{
	/* One sample has half of the weight of a run with 101 samples. */
	const struct diff_cost all = { 200, 101, 100. * 100 + 100 };
	struct diff_run runs[] = { { .side = DIFF_BEFORE, .cost = all, .amount = 1 },
				   { .side = DIFF_AFTER, .cost = all, .amount = 1 } };
	const struct diff_cost costs[] = { { 100, 1, 0 }, { 100, 1, 0 } };
	struct diff_result result;

	(void)state;
	assert_int_equal(diff_compare(DIFF_SHARES, runs, 2, costs, 1, &result), 0);
	/* (0.25 * 100^2 + 0.25 * 100) / 200^2 a side */
	assert_near(result.error, sqrt(2 * (2500. + 25) / 40000), 1e-12);
	assert_true(isnan(result.p));
}

static void a_row_with_a_heavy_sample_among_light_ones_is_less_certain(void **state)
{
	/* 99 samples weigh 1, the last one 901; as if they were equal, 10 each. */
	const struct diff_cost all = { 10000, 1000, 900. * 100 / 9 + 99 + 901. * 901 };
	const struct diff_run runs[] = { { .side = DIFF_BEFORE, .cost = all, .amount = 1 },
					 { .side = DIFF_AFTER, .cost = all, .amount = 1 } };
	const struct diff_cost costs[] = { { 1000, 100, 99 + 901. * 901 },
					   { 1000, 100, 99 + 901. * 901 },
					   { 1000, 100, 0 },
					   { 1000, 100, 0 } };
	struct diff_result results[2];

	(void)state;
	assert_int_equal(diff_compare(DIFF_RATES, runs, 2, costs, 2, results), 0);
	assert_near(results[0].error, sqrt(2 * (99 + 901. * 901)), 1e-9);
	assert_near(results[1].error, sqrt(2 * 10. * 1000), 1e-9);
}

static void runs_that_vary_make_differences_less_certain(void **state)
{
	const struct diff_run runs[] = {
		run_of(DIFF_BEFORE, 1000, 1),
		run_of(DIFF_BEFORE, 1000, 1),
		run_of(DIFF_AFTER, 1000, 1),
		run_of(DIFF_AFTER, 1000, 1),
	};
	const struct diff_cost steady[] = {
		{ 200, 200, 0 }, { 200, 200, 0 }, { 260, 260, 0 }, { 260, 260, 0 }
	};
	const struct diff_cost loose[] = {
		{ 150, 150, 0 }, { 250, 250, 0 }, { 200, 200, 0 }, { 320, 320, 0 }
	};
	struct diff_result result;
	double sampling = sqrt((0.2 * 0.8 + 0.26 * 0.74) / 2000);

	(void)state;
	assert_int_equal(diff_compare(DIFF_SHARES, runs, 4, steady, 1, &result), 0);
	assert_near(result.error, sampling, 1e-12);
	assert_true(result.p < 0.05);
	assert_int_equal(diff_compare(DIFF_SHARES, runs, 4, loose, 1, &result), 0);
	/* X^2 / 2 */
	double dispersion = 0.05 * 0.05 / (0.2 * 0.8 / 1000) + 0.06 * 0.06 / (0.26 * 0.74 / 1000);
	assert_near(result.error, sampling * sqrt(dispersion), 1e-12);
	assert_true(result.p > 0.05);
}

static void probabilities_are_adjusted_as_benjamini_and_hochberg_do(void **state)
{
	double p[] = { 0.04, 0.001, NAN, 0.03, 0.5, 0.008 };

	(void)state;
	assert_int_equal(diff_adjust(p, 6, false), 0);
	assert_near(p[1], 0.005, 1e-12);
	assert_near(p[5], 0.02, 1e-12);
	assert_near(p[3], 0.05, 1e-12); /* 0.03 * 5 / 3 */
	assert_near(p[0], 0.05, 1e-12);
	assert_near(p[4], 0.5, 1e-12);
	assert_true(isnan(p[2]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_differ_with_the_binomial_error),
		cmocka_unit_test(rates_differ_with_the_error_of_counts),
		cmocka_unit_test(few_samples_are_tested_exactly),
		cmocka_unit_test(a_heavy_sample_makes_a_share_uncertain),
		cmocka_unit_test(a_row_with_a_heavy_sample_among_light_ones_is_less_certain),
		cmocka_unit_test(runs_that_vary_make_differences_less_certain),
		cmocka_unit_test(probabilities_are_adjusted_as_benjamini_and_hochberg_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
