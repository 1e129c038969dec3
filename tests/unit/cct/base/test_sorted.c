#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/base/sorted.h"

static size_t count_not_above(const uint64_t *starts, size_t n_starts, uint64_t addr)
{
	return sorted_count(n_starts, i, starts[i] <= addr);
}

static void elements_up_to_the_wanted_one_are_counted(void **state)
{
	(void)state;
	const uint64_t starts[] = { 10, 20, 20, 30 };

	assert_int_equal(count_not_above(starts, 4, 9), 0);
	assert_int_equal(count_not_above(starts, 4, 10), 1);
	assert_int_equal(count_not_above(starts, 4, 19), 1);
	assert_int_equal(count_not_above(starts, 4, 20), 3);
	assert_int_equal(count_not_above(starts, 4, 29), 3);
	assert_int_equal(count_not_above(starts, 4, 30), 4);
	assert_int_equal(count_not_above(starts, 4, UINT64_MAX), 4);
	assert_int_equal(count_not_above(starts, 0, 10), 0);
}

static void arrays_of_all_sizes_are_searched(void **state)
{
	(void)state;
	uint64_t starts[100];

	for (size_t n = 0; n <= 100; n++) {
		for (size_t i = 0; i < n; i++)
			starts[i] = 2 * i + 1;
		for (size_t i = 0; i <= n; i++)
			assert_int_equal(count_not_above(starts, n, 2 * i), i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_up_to_the_wanted_one_are_counted),
		cmocka_unit_test(arrays_of_all_sizes_are_searched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
