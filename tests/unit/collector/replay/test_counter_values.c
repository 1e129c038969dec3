#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/replay/counter_values.h"

static uint64_t growth(struct counter_values *values, uint64_t id, int32_t tid, uint32_t generation,
		       uint64_t value)
{
	struct counter_key key = { .id = id, .tid = tid, .generation = generation };
	uint64_t growth = UINT64_MAX;

	assert_int_equal(counter_values_note(values, &key, value, &growth), 0);
	return growth;
}

static void the_first_value_is_all_growth_and_later_ones_what_came_since(void **state)
{
	(void)state;
	struct counter_values values = { 0 };

	assert_int_equal(growth(&values, 7, 0, 0, 100), 100);
	assert_int_equal(growth(&values, 7, 0, 0, 130), 30);
	assert_int_equal(growth(&values, 7, 0, 0, 130), 0);
	assert_int_equal(growth(&values, 7, 0, 0, UINT64_MAX), UINT64_MAX - 130);
	counter_values_deinit(&values);
}

static void threads_count_apart_under_one_id(void **state)
{
	(void)state;
	struct counter_values values = { 0 };

	assert_int_equal(growth(&values, 7, 100, 0, 1000), 1000);
	assert_int_equal(growth(&values, 7, 101, 0, 10), 10);
	assert_int_equal(growth(&values, 7, 100, 0, 1001), 1);
	assert_int_equal(growth(&values, 7, 101, 0, 15), 5);
	assert_int_equal(growth(&values, 8, 101, 0, 3), 3);
	counter_values_deinit(&values);
}

static void a_reused_tid_begins_at_zero_again(void **state)
{
	(void)state;
	struct counter_values values = { 0 };

	assert_int_equal(growth(&values, 7, 100, 1, 50), 50);
	assert_int_equal(growth(&values, 7, 100, 2, 60), 60);
	assert_int_equal(growth(&values, 7, 100, 2, 61), 1);
	counter_values_deinit(&values);
}

static void a_value_that_went_back_is_of_a_counter_that_began_anew(void **state)
{
	(void)state;
	struct counter_values values = { 0 };

	assert_int_equal(growth(&values, 7, 100, 0, 50), 50);
	assert_int_equal(growth(&values, 7, 100, 0, 20), 20);
	assert_int_equal(growth(&values, 7, 100, 0, 25), 5);
	counter_values_deinit(&values);
}

static void many_counters_are_kept_apart(void **state)
{
	(void)state;
	struct counter_values values = { 0 };

	for (uint64_t round = 1; round <= 3; round++)
		for (uint64_t id = 1; id <= 100; id++)
			for (int32_t tid = 1; tid <= 30; tid++)
				assert_int_equal(
					growth(&values, id, tid, 0, round * id * (uint64_t)tid),
					id * (uint64_t)tid);
	counter_values_deinit(&values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_value_is_all_growth_and_later_ones_what_came_since),
		cmocka_unit_test(threads_count_apart_under_one_id),
		cmocka_unit_test(a_reused_tid_begins_at_zero_again),
		cmocka_unit_test(a_value_that_went_back_is_of_a_counter_that_began_anew),
		cmocka_unit_test(many_counters_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
