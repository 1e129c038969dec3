#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/base/int_list.h"

#define MAX 4194304

static void lists_are_numbers_and_ranges(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		int values[8];
	} cases[] = {
		{ "0", 1, { 0 } },
		{ "0-3,8", 5, { 0, 1, 2, 3, 8 } },
		{ "8,2,2,1-2", 3, { 1, 2, 8 } },
		{ "4194304", 1, { MAX } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct int_list list = { 0 };

		assert_int_equal(int_list_add(&list, cases[i].text, MAX), 0);
		assert_int_equal(list.n, cases[i].n);
		assert_memory_equal(list.values, cases[i].values, list.n * sizeof(int));
		int_list_deinit(&list);
	}
}

static void what_is_not_a_list_is_refused(void **state)
{
	static const char *const texts[] = { "",     ",",       "1,",
					     "1,,2", "-1",      "3-1",
					     "1-",   "4194305", "1 2",
					     "a",    "1-2-3",   "0x1",
					     "+1",   "1.5",     "99999999999999999999" };
	struct int_list list = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(int_list_add(&list, texts[i], MAX), -EINVAL);
		assert_null(list.values);
	}
}

static void lists_add_up(void **state)
{
	static const int expected[] = { 1, 2, 3, 9 };
	struct int_list list = { 0 };

	(void)state;
	assert_int_equal(int_list_add(&list, "9,2", 9), 0);
	assert_int_equal(int_list_add(&list, "1-3", 9), 0);
	assert_int_equal(int_list_add(&list, "4,x", 9), -EINVAL);
	assert_int_equal(list.n, 4);
	assert_memory_equal(list.values, expected, sizeof(expected));
	int_list_deinit(&list);
}

static void a_value_is_inserted_once_and_in_order(void **state)
{
	static const int values[] = { 5, 1, 9, 5, 1, 3 }, expected[] = { 1, 3, 5, 9 };
	struct int_list list = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(int_list_insert(&list, values[i]), 0);
	assert_true(int_list_has(&list, 9));
	assert_false(int_list_has(&list, 4));
	assert_int_equal(list.n, 4);
	assert_memory_equal(list.values, expected, sizeof(expected));
	int_list_deinit(&list);
}

static void values_are_taken_out(void **state)
{
	struct int_list list = { 0 };

	(void)state;
	int_list_remove(&list, 1);
	assert_int_equal(int_list_add(&list, "1-3,7", 10), 0);
	int_list_remove(&list, 2);
	int_list_remove(&list, 5);
	int_list_remove(&list, 7);
	assert_int_equal(list.n, 2);
	assert_int_equal(list.values[0], 1);
	assert_int_equal(list.values[1], 3);
	int_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_numbers_and_ranges),
		cmocka_unit_test(what_is_not_a_list_is_refused),
		cmocka_unit_test(lists_add_up),
		cmocka_unit_test(a_value_is_inserted_once_and_in_order),
		cmocka_unit_test(values_are_taken_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
