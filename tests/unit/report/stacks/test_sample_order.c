#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/stacks/sample_order.h"
#include "tests/unit/fixtures/letter_profile.h"

struct ordered {
	struct letter_profile letters;
	struct path_groups groups;
	struct sample_order order;
};

static void sort(struct ordered *ordered)
{
	const struct profile *profile = ordered->letters.profile;

	assert_int_equal(path_groups_init(&ordered->groups, profile, GROUP_COMM), 0);
	assert_int_equal(sample_order_init(&ordered->order, profile, &ordered->groups), 0);
}

static void tear_down(struct ordered *ordered)
{
	sample_order_deinit(&ordered->order);
	path_groups_deinit(&ordered->groups);
	letter_profile_deinit(&ordered->letters);
}

static void samples_of_a_group_are_in_the_order_of_time(void **state)
{
	const uint32_t wanted[] = { 2, 0, 3, 1 };
	struct ordered ordered;

	(void)state;
	letter_profile_init(&ordered.letters, (const char *[]){ "cycles" }, 1);
	const uint32_t a = letter_profile_thread(&ordered.letters, 1, 1, "a");
	const uint32_t b = letter_profile_thread(&ordered.letters, 2, 2, "b");
	letter_profile_add(&ordered.letters, a, "x", 0, 1, 20);
	letter_profile_add(&ordered.letters, b, "x", 0, 1, 5);
	letter_profile_add(&ordered.letters, a, "y", 0, 1, 10);
	letter_profile_add(&ordered.letters, a, "y", 0, 1, 20);
	sort(&ordered);
	for (int i = 0; i < 4; i++)
		assert_int_equal(ordered.order.rows[i], wanted[i]);
	assert_int_equal(ordered.order.first[1], 3);
	assert_int_equal(ordered.order.first[2], 4);
	tear_down(&ordered);
}

static void scaled_weights_add_up_to_the_costs_of_the_tree(void **state)
{
	struct ordered ordered;
	uint64_t sum = 0;

	(void)state;
	letter_profile_init(&ordered.letters, (const char *[]){ "cycles", "other" }, 2);
	struct profile *profile = ordered.letters.profile;
	const uint32_t thread = letter_profile_thread(&ordered.letters, 1, 1, "a");
	for (uint32_t i = 0; i < 50; i++)
		letter_profile_add(&ordered.letters, thread, i % 2 ? "ab" : "ac", 0, 10 + i % 7, i);
	letter_profile_add(&ordered.letters, thread, "ab", 1, 1234, 50);
	profile->metrics[0].time_enabled_ns = 1000;
	profile->metrics[0].time_running_ns = 333;
	profile_scale(profile);
	sort(&ordered);
	for (uint32_t i = 0; i < 50; i++)
		sum += sample_order_weight(&ordered.order, profile->rows, i);
	assert_int_equal(sum, profile->metrics[0].total);
	assert_int_equal(sample_order_weight(&ordered.order, profile->rows, 50), 1234);
	tear_down(&ordered);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_a_group_are_in_the_order_of_time),
		cmocka_unit_test(scaled_weights_add_up_to_the_costs_of_the_tree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
