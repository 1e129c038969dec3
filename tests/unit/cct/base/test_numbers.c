#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cct/base/clock.h"
#include "cct/base/numbers.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define UNCHANGED         4711

static void numbers_are_digits_up_to_a_bound(void **state)
{
	static const char *const refused[] = { "",   " 1", "1 ",  "-1",  "+1",
					       "1x", "x",  "0x1", "1.0", "18446744073709551616",
					       "101" };
	uint64_t number = UNCHANGED;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		uint64_t max = strcmp(refused[i], "101") == 0 ? 100 : UINT64_MAX;

		assert_int_equal(numbers_parse(refused[i], max, &number), -EINVAL);
		assert_int_equal(number, UNCHANGED);
	}
	assert_int_equal(numbers_parse("18446744073709551615", UINT64_MAX, &number), 0);
	assert_int_equal(number, UINT64_MAX);
	assert_int_equal(numbers_parse("007", 7, &number), 0);
	assert_int_equal(number, 7);
}

static void times_have_units_and_exact_decimals(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{ "5", 5000000000 },
		{ "5s", 5000000000 },
		{ "200ms", 200000000 },
		{ "2m", 120000000000 },
		{ "0.5m", 30000000000 },
		{ "1h", 3600000000000 },
		{ "3us", 3000 },
		{ "7ns", 7 },
		{ ".5", 500000000 },
		{ "1.", 1000000000 },
		{ "0", 0 },
		{ "1234567.123456789", 1234567123456789 },
		{ "0.0000000019", 1 },
		{ "0.123456789s", 123456789 },
		{ "1.5ms", 1500000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t ns;

		assert_int_equal(numbers_parse_time(cases[i].text, NSEC_PER_SEC, UINT64_MAX, &ns),
				 0);
		assert_int_equal(ns, cases[i].ns);
	}
}

static void a_time_without_a_unit_has_the_one_that_the_caller_names(void **state)
{
	uint64_t ns;

	(void)state;
	assert_int_equal(numbers_parse_time("250", NSEC_PER_MSEC, UINT64_MAX, &ns), 0);
	assert_int_equal(ns, 250000000);
	assert_int_equal(numbers_parse_time("250s", NSEC_PER_MSEC, UINT64_MAX, &ns), 0);
	assert_int_equal(ns, 250000000000);
}

static void what_is_not_a_time_is_refused(void **state)
{
	static const char *const texts[] = { "",
					     ".",
					     "s",
					     "-1",
					     "1d",
					     "1 s",
					     "nan",
					     "1e3",
					     "0x5",
					     "5S",
					     "5sec",
					     "1.2.3",
					     "18446744073709551615" };
	uint64_t ns = UNCHANGED;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(numbers_parse_time(texts[i], NSEC_PER_SEC, UINT64_MAX, &ns),
				 -EINVAL);
	assert_int_equal(numbers_parse_time("11", NSEC_PER_SEC, 10000000000, &ns), -EINVAL);
	assert_int_equal(ns, UNCHANGED);
}

static void sizes_have_units_of_1024(void **state)
{
	static const struct {
		const char *text;
		uint64_t size;
	} cases[] = { { "16", 65536 },    { "4096b", 4096 }, { "512K", 524288 },
		      { "512k", 524288 }, { "4M", 4194304 }, { "1g", 1073741824 } };
	static const char *const refused[] = { "",   "K",   "1T",   "1KB",
					       "-1", "1 K", "1.5M", "18446744073709551615G" };
	uint64_t size;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(numbers_parse_size(cases[i].text, 4096, UINT64_MAX, &size), 0);
		assert_int_equal(size, cases[i].size);
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		assert_int_equal(numbers_parse_size(refused[i], 1, UINT64_MAX, &size), -EINVAL);
	assert_int_equal(numbers_parse_size("2K", 1, 2047, &size), -EINVAL);
}

static void percentages_are_from_0_to_100(void **state)
{
	static const struct {
		const char *text;
		double percent;
	} cases[] = { { "0", 0 }, { "0.5", 0.5 }, { "20%", 20 }, { "100", 100 }, { ".25%", 0.25 } };
	static const char *const refused[] = { "",    "%",   ".",     "-1",   "100.1", "1e1",
					       "nan", "inf", "1.2.3", "0x10", "5%%",   "5 %" };
	double percent;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(numbers_parse_percent(cases[i].text, &percent), 0);
		assert_true(percent == cases[i].percent);
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		assert_int_equal(numbers_parse_percent(refused[i], &percent), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_digits_up_to_a_bound),
		cmocka_unit_test(times_have_units_and_exact_decimals),
		cmocka_unit_test(a_time_without_a_unit_has_the_one_that_the_caller_names),
		cmocka_unit_test(what_is_not_a_time_is_refused),
		cmocka_unit_test(sizes_have_units_of_1024),
		cmocka_unit_test(percentages_are_from_0_to_100),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
