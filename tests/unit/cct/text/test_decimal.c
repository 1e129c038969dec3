#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/text/decimal.h"

static void expect(uint64_t number, const char *wanted)
{
	char text[64] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	decimal_write(out, number);
	fclose(out);
	assert_string_equal(text, wanted);
}

static void numbers_have_all_their_digits(void **state)
{
	(void)state;
	expect(0, "0");
	expect(10, "10");
	expect(UINT64_MAX, "18446744073709551615");
}

static void expect_fraction(uint64_t number, unsigned n_digits, const char *wanted)
{
	char text[64] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	decimal_write_fraction(out, number, n_digits);
	fclose(out);
	assert_string_equal(text, wanted);
}

static void fractions_have_no_zeros_at_the_end(void **state)
{
	(void)state;
	expect_fraction(0, 3, "0");
	expect_fraction(7, 3, "0.007");
	expect_fraction(1500, 3, "1.5");
	expect_fraction(20010, 3, "20.01");
	expect_fraction(3000, 3, "3");
	expect_fraction(1000001, 6, "1.000001");
	expect_fraction(UINT64_MAX, 9, "18446744073.709551615");
	expect_fraction(12, 0, "12");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_all_their_digits),
		cmocka_unit_test(fractions_have_no_zeros_at_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
