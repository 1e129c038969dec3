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
	expect_rounded(255, 255);
	expect_rounded(0x1.fep70, 0x1.fep70);
}

static void squares_are_rounded_to_the_nearest_of_eight_bits(void **state)
{
	(void)state;
	expect_rounded(257, 258);
	expect_rounded(0x1.00fp40, 0x1p40);
	expect_rounded(0x1.011p40, 0x1.02p40);
	expect_rounded(0x1.fffp40, 0x1p41);
}

static void rounding_is_less_than_half_a_percent(void **state)
{
	(void)state;
	for (double squares = 1; squares < 0x1p127; squares *= 1.0137) {
		const double off = slice_rows_round(squares) / squares - 1;

		assert_true(fabs(off) <= 1.0 / 256);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(squares_of_few_bits_stay),
		cmocka_unit_test(squares_are_rounded_to_the_nearest_of_eight_bits),
		cmocka_unit_test(rounding_is_less_than_half_a_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
