#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/agent/ageing.h"

#define S 1000000000ull

/* Ten minutes, of which the files of four are there. */
static struct window_file files[] = {
	{ .span = { 600 * S, 660 * S }, .size = 100 },
	{ .span = { 660 * S, 720 * S }, .size = 100 },
	{ .span = { 1200 * S, 1260 * S }, .size = 100 },
	{ .span = { 1320 * S, 1380 * S }, .size = 100 },
};
static const struct window_list list = { files, 4 };

static void expect_group(const struct ageing *ageing, uint64_t now_s, size_t first, size_t n)
{
	size_t got, at = ageing_find_group(ageing, &list, now_s * S, &got);

	assert_int_equal(got, n);
	if (n)
		assert_int_equal(at, first);
}

static void files_of_a_period_become_one_when_it_is_over_for_as_long(void **state)
{
	const struct ageing ageing = { .period_ns = { 600 * S, 1200 * S }, .n_periods = 2 };

	(void)state;
	expect_group(&ageing, 1379, 0, 0);
	expect_group(&ageing, 1799, 0, 0);
	expect_group(&ageing, 1800, 0, 2);
	/* The first ones would be one file by now, but here they are not. */
	expect_group(&ageing, 10000, 0, 2);
}

static void shorter_periods_come_first_then_longer_ones(void **state)
{
	const struct ageing ageing = { .period_ns = { 60 * S, 1200 * S }, .n_periods = 2 };

	(void)state;
	/* Each minute has one file, so the first twenty minutes are next. */
	expect_group(&ageing, 3599, 0, 2);
	expect_group(&ageing, 2399, 0, 0);
	expect_group(&ageing, 2400, 0, 2);
}

static void paths_are_folded_an_hour_after_the_end(void **state)
{
	const struct ageing folding = { .n_periods = 0 }, keeping = { .keeps_details = true };

	(void)state;
	assert_false(ageing_drops_details(&folding, &files[3], 1000 * S)); /* the clock was set */
	assert_false(ageing_drops_details(&folding, &files[3], 1380 * S + 3599 * S));
	assert_true(ageing_drops_details(&folding, &files[3], 1380 * S + 3600 * S));
	assert_false(ageing_drops_details(&keeping, &files[3], 1380 * S + 3600 * S));
}

static void without_periods_all_files_stay(void **state)
{
	const struct ageing ageing = { .n_periods = 0 };

	(void)state;
	expect_group(&ageing, 1u << 30, 0, 0);
}

static void the_oldest_are_removed_by_size_and_by_age(void **state)
{
	static const struct window_list none = { NULL, 0 };

	(void)state;
	assert_int_equal(ageing_count_removed(&(struct ageing){ .keep_bytes = 400 }, &list, 0), 0);
	assert_int_equal(ageing_count_removed(&(struct ageing){ .keep_bytes = 399 }, &list, 0), 1);
	assert_int_equal(ageing_count_removed(&(struct ageing){ .keep_bytes = 200 }, &list, 0), 2);
	assert_int_equal(ageing_count_removed(&(struct ageing){ .keep_bytes = 1 }, &list, 0), 3);
	const struct ageing of_time = { .keep_ns = 1000 * S };
	assert_int_equal(ageing_count_removed(&of_time, &list, 1660 * S), 0);
	assert_int_equal(ageing_count_removed(&of_time, &list, 1661 * S), 1);
	assert_int_equal(ageing_count_removed(&of_time, &list, 1800 * S), 2);
	assert_int_equal(ageing_count_removed(&of_time, &list, 99999 * S), 3);
	/* A clock that was set back. */
	assert_int_equal(ageing_count_removed(&of_time, &list, 10), 0);
	const struct ageing of_both = { .keep_bytes = 200, .keep_ns = 1000 * S };
	assert_int_equal(ageing_count_removed(&of_both, &list, 1661 * S), 2);
	assert_int_equal(ageing_count_removed(&of_both, &none, 1661 * S), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_a_period_become_one_when_it_is_over_for_as_long),
		cmocka_unit_test(shorter_periods_come_first_then_longer_ones),
		cmocka_unit_test(paths_are_folded_an_hour_after_the_end),
		cmocka_unit_test(without_periods_all_files_stay),
		cmocka_unit_test(the_oldest_are_removed_by_size_and_by_age),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
