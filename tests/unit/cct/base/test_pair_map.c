#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/base/pair_map.h"

static void an_empty_map_has_no_pair(void **state)
{
	(void)state;
	struct pair_map map = { 0 };

	assert_int_equal(pair_map_find(&map, 0, 0), PAIR_MAP_NONE);
	pair_map_deinit(&map);
}

static void pairs_are_found_by_both_numbers(void **state)
{
	(void)state;
	struct pair_map map = { 0 };

	for (uint32_t a = 0; a < 50; a++) {
		for (uint32_t b = 0; b < 50; b++)
			assert_int_equal(pair_map_add(&map, a, (uint64_t)b << 32, a * 50 + b), 0);
	}
	for (uint32_t a = 0; a < 50; a++) {
		for (uint32_t b = 0; b < 50; b++)
			assert_int_equal(pair_map_find(&map, a, (uint64_t)b << 32), a * 50 + b);
	}
	assert_int_equal(pair_map_find(&map, 50, 0), PAIR_MAP_NONE);
	assert_int_equal(pair_map_find(&map, 0, 1), PAIR_MAP_NONE);
	pair_map_deinit(&map);
}

static void values_up_to_the_largest_are_kept(void **state)
{
	(void)state;
	struct pair_map map = { 0 };

	assert_int_equal(pair_map_add(&map, 1, 1, 0), 0);
	assert_int_equal(pair_map_add(&map, 2, 2, PAIR_MAP_NONE - 1), 0);
	assert_int_equal(pair_map_find(&map, 1, 1), 0);
	assert_int_equal(pair_map_find(&map, 2, 2), PAIR_MAP_NONE - 1);
	pair_map_deinit(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_has_no_pair),
		cmocka_unit_test(pairs_are_found_by_both_numbers),
		cmocka_unit_test(values_up_to_the_largest_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
