#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/text/decimal.h"

static void expect(void (*write)(FILE *out, uint64_t number), uint64_t number, const char *wanted)
{
	char text[64] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	write(out, number);
	fclose(out);
	assert_string_equal(text, wanted);
}

static void numbers_have_all_their_digits(void **state)
{
	(void)state;
	expect(decimal_write, 0, "0");
	expect(decimal_write, 10, "10");
	expect(decimal_write, UINT64_MAX, "18446744073709551615");
}

static void thousandths_have_no_zeros_at_the_end(void **state)
{
	(void)state;
	expect(decimal_write_thousandths, 0, "0");
	expect(decimal_write_thousandths, 7, "0.007");
	expect(decimal_write_thousandths, 1500, "1.5");
	expect(decimal_write_thousandths, 20010, "20.01");
	expect(decimal_write_thousandths, 3000, "3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_all_their_digits),
		cmocka_unit_test(thousandths_have_no_zeros_at_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
