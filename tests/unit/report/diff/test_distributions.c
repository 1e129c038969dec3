#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/diff/dispersion.h"
#include "report/diff/distributions.h"

#define EULER 0.57721566490153286

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g, expected %.17g", value, expected);
}

static void assert_close(double value, double expected)
{
	assert_near(value, expected, 1e-10 + 1e-10 * fabs(expected));
}

/* Of 1, 2 and 4 degrees of freedom, Student's distribution has closed forms. */
static void tails_of_students_distribution_are_those_of_its_closed_forms(void **state)
{
	(void)state;
	for (double t = 0; t < 50; t += 0.37) {
		double cosine = 1 / sqrt(1 + t * t / 4), sine = t / 2 * cosine;

		assert_close(student_both_tails(t, 1), 1 - M_2_PI * atan(t));
		assert_close(student_both_tails(-t, 2), 1 - t / sqrt(2 + t * t));
		assert_close(student_both_tails(t, 4), 1 - sine * (1 + cosine * cosine / 2));
	}
}

static void with_many_degrees_of_freedom_students_distribution_is_normal(void **state)
{
	(void)state;
	assert_close(student_both_tails(1.9599639845400545, INFINITY), 0.05);
	assert_near(student_both_tails(3, 999999), 0.0026997960632601866, 1e-7);
	assert_true(student_both_tails(1e8, 4) >= 0);
	assert_true(student_both_tails(1e200, 3) == 0);
}

static void tails_of_the_binomial_distribution_are_sums_of_its_terms(void **state)
{
	(void)state;
	assert_close(binomial_both_tails(0, 10, 0.5), 2. / 1024);
	assert_close(binomial_both_tails(9, 10, 0.5), 22. / 1024);
	assert_close(binomial_both_tails(5, 10, 0.5), 1);
	assert_close(binomial_both_tails(3, 3, 1. / 11), 2. / 1331);
	assert_close(binomial_both_tails(1, 3, 1. / 11), 2 * (1 - 1000. / 1331));
	assert_close(binomial_both_tails(0, 3, 1. / 11), 1);
	assert_close(binomial_both_tails(2, 4, 0.1), 2 * (6 * 0.0081 + 4 * 0.0009 + 0.0001));
	assert_close(binomial_both_tails(0, 0, 0.5), 1);
	/* 1000 standard deviations */
	assert_true(binomial_both_tails(1e6, 1e6, 0.5) >= 0);
	assert_true(binomial_both_tails(1e6, 1e6, 0.5) < 1e-300);
}

static void derivatives_of_log_gamma_are_those_of_known_arguments(void **state)
{
	(void)state;
	assert_close(digamma_of(1), -EULER);
	assert_close(digamma_of(0.5), -EULER - 2 * M_LN2);
	assert_close(digamma_of(2), 1 - EULER);
	assert_close(trigamma_of(1), M_PI * M_PI / 6);
	assert_close(trigamma_of(0.5), M_PI * M_PI / 2);
	assert_close(trigamma_of(2), M_PI * M_PI / 6 - 1);
	for (double x = 0.01; x < 1000; x *= 1.7)
		assert_near(trigamma_inverse(trigamma_of(x)), x, 1e-9 * x);
}

static void equal_dispersions_are_known_by_all_rows_together(void **state)
{
	double dispersions[50], degrees;

	(void)state;
	for (size_t i = 0; i < 50; i++)
		dispersions[i] = 2;
	struct dispersion_prior prior = dispersion_fit(dispersions, 50, 4);
	assert_true(isinf(prior.degrees));
	/* The mean logarithm is moved by what four degrees of freedom lower it on average. */
	assert_close(dispersion_moderate(&prior, 2, 4, &degrees),
		     exp(log(2) - (1 - EULER) + log(2)));
	assert_close(degrees, 200);
}

static void dispersions_that_differ_are_drawn_to_their_mean_in_part(void **state)
{
	double dispersions[60], degrees;

	(void)state;
	for (int i = 0; i < 60; i++)
		dispersions[i] = exp((i - 29.5) / 8);
	struct dispersion_prior prior = dispersion_fit(dispersions, 60, 4);
	assert_true(prior.degrees > 0.5 && prior.degrees < 4);
	double high = dispersion_moderate(&prior, 30, 4, &degrees);
	assert_true(high > prior.scale && high < 30);
	assert_close(high, (prior.degrees * prior.scale + 4 * 30) / (prior.degrees + 4));
	assert_close(degrees, prior.degrees + 4);
}

static void two_rows_have_nothing_in_common(void **state)
{
	double dispersions[] = { 1, 9 }, degrees;
	struct dispersion_prior prior = dispersion_fit(dispersions, 2, 4);

	(void)state;
	assert_close(dispersion_moderate(&prior, 9, 4, &degrees), 9);
	assert_close(degrees, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tails_of_students_distribution_are_those_of_its_closed_forms),
		cmocka_unit_test(with_many_degrees_of_freedom_students_distribution_is_normal),
		cmocka_unit_test(tails_of_the_binomial_distribution_are_sums_of_its_terms),
		cmocka_unit_test(derivatives_of_log_gamma_are_those_of_known_arguments),
		cmocka_unit_test(equal_dispersions_are_known_by_all_rows_together),
		cmocka_unit_test(dispersions_that_differ_are_drawn_to_their_mean_in_part),
		cmocka_unit_test(two_rows_have_nothing_in_common),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
