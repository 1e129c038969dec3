#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/push/clickhouse/slice_rows.h"

static void expect_rounded(double squares, double expected)
{
	const double rounded = slice_rows_round(squares);

	assert_true(rounded >= expected && rounded <= expected);
}

static void squares_of_few_bits_stay(void **state)
{
	(void)state;
	expect_rounded(0, 0);
	expect_rounded(1, 1);
	expect_rounded(31, 31);
	expect_rounded(0x1.fp70, 0x1.fp70);
}

static void squares_are_rounded_to_the_nearest_of_five_bits(void **state)
{
	(void)state;
	expect_rounded(67, 68);
	expect_rounded(65, 64);
	expect_rounded(0x1.07fp40, 0x1p40);
	expect_rounded(0x1.081p40, 0x1.1p40);
	expect_rounded(0x1.fffp40, 0x1p41);
}

/* Numbers of samples that weigh 1 each, such as page faults, are often between two. */
static void of_two_that_are_as_near_the_even_one_is_taken(void **state)
{
	(void)state;
	expect_rounded(33, 32);
	expect_rounded(35, 36);
	expect_rounded(63, 64);
	double sum = 0, rounded = 0;
	for (int i = 32; i < 64; i++) {
		sum += i;
		rounded += slice_rows_round(i);
	}
	assert_true(fabs(rounded - sum) < 1e-9);
}

static void rounding_is_three_percent_at_most(void **state)
{
	(void)state;
	for (double squares = 1; squares < 0x1p127; squares *= 1.0137) {
		const double off = slice_rows_round(squares) / squares - 1;

		assert_true(fabs(off) <= 1.0 / 33);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(squares_of_few_bits_stay),
		cmocka_unit_test(squares_are_rounded_to_the_nearest_of_five_bits),
		cmocka_unit_test(of_two_that_are_as_near_the_even_one_is_taken),
		cmocka_unit_test(rounding_is_three_percent_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
