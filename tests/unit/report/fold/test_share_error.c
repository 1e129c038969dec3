/* Errors of shares, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/fold/share_error.h"

static struct share_sum equal(uint64_t n, double weight)
{
	return (struct share_sum){ (double)n * weight, (double)n * weight * weight, n };
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-4);
}

static void the_error_of_equal_samples_is_binomial(void **state)
{
	struct share_sum in = equal(200, 7), all = equal(1000, 7);
	struct share_error error;

	(void)state;
	assert_true(share_error_of(&in, &all, &error));
	assert_near(error.share, 0.2);
	assert_near(error.error, sqrt(0.2 * 0.8 / 1000));
	assert_near(error.low, 0.2 - 1.96 * error.error);
	assert_near(error.high, 0.2 + 1.96 * error.error);
}

static void few_samples_inside_or_outside_have_wilson_s_interval(void **state)
{
	/* Wilson's formula, evaluated elsewhere. */
	static const struct {
		uint64_t in, all;
		double low, high;
	} cases[] = {
		{ 10, 1000, 0.005441, 0.018309 }, { 1, 1000, 0.000177, 0.005643 },
		{ 0, 1000, 0, 0.003827 },         { 995, 1000, 0.988349, 0.997862 },
		{ 20, 20, 0.838875, 1 },          { 3, 10, 0.107791, 0.603222 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct share_sum in = equal(cases[i].in, 3), all = equal(cases[i].all, 3);
		struct share_error error;

		assert_true(share_error_of(&in, &all, &error));
		assert_true(fabs(error.low - cases[i].low) < 2e-6);
		assert_true(fabs(error.high - cases[i].high) < 2e-6);
		assert_near(error.error, (error.high - error.low) / 3.92);
	}
}

static void a_heavy_sample_makes_a_share_less_exact(void **state)
{
	struct share_sum light = equal(100, 1), in = equal(100, 1), all = equal(200, 1);
	struct share_error error;

	(void)state;
	in.weight += 100;
	in.squares += 100 * 100;
	in.samples++;
	all.weight = in.weight + light.weight;
	all.squares = in.squares + light.squares;
	all.samples++;
	assert_true(share_error_of(&in, &all, &error));
	assert_near(error.share, 2.0 / 3);
	/* ((1 - 4/3) 10 100 + 4/9 10 200) / 300^2 */
	assert_near(error.error, sqrt((-10100.0 / 3 + 4.0 / 9 * 10200) / 90000));
}

static void nothing_has_no_error(void **state)
{
	struct share_sum none = { .samples = 0 };
	struct share_error error;

	(void)state;
	assert_false(share_error_of(&none, &none, &error));
	assert_true(share_variance(0, 0, 0, 0) <= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_error_of_equal_samples_is_binomial),
		cmocka_unit_test(few_samples_inside_or_outside_have_wilson_s_interval),
		cmocka_unit_test(a_heavy_sample_makes_a_share_less_exact),
		cmocka_unit_test(nothing_has_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
