#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/code/inline_table.h"

static int setup(void **state)
{
	*state = inline_table_create();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	inline_table_destroy(*state);
	return 0;
}

static void expect(const struct inline_table *table, uint64_t offset, const char *first,
		   const char *last)
{
	const struct inlined_code *code = inline_table_find(table, offset);

	assert_non_null(code);
	assert_string_equal(code->names[0], first);
	assert_string_equal(code->names[code->n_names - 1], last);
}

static void code_is_found_by_each_offset_in_it(void **state)
{
	struct inline_table *table = *state;
	char names[] = "put\0get";

	assert_int_equal(inline_table_add(table, 100, 10, names, 7), 0);
	assert_int_equal(inline_table_add(table, 50, 10, "merge", 5), 0);
	memset(names, 'x', sizeof(names));
	expect(table, 100, "put", "get");
	expect(table, 109, "put", "get");
	expect(table, 50, "merge", "merge");
	assert_null(inline_table_find(table, 49));
	assert_null(inline_table_find(table, 60));
	assert_null(inline_table_find(table, 110));
	assert_null(inline_table_find(NULL, 100));
}

static void code_takes_the_place_of_what_it_overlaps(void **state)
{
	struct inline_table *table = *state;

	for (uint64_t offset = 0; offset < 100; offset += 10)
		assert_int_equal(inline_table_add(table, offset, 10, "old", 3), 0);
	assert_int_equal(inline_table_add(table, 25, 30, "new", 3), 0);
	expect(table, 19, "old", "old");
	assert_null(inline_table_find(table, 20));
	expect(table, 25, "new", "new");
	expect(table, 54, "new", "new");
	assert_null(inline_table_find(table, 55));
	expect(table, 60, "old", "old");
}

static void empty_names_and_those_that_are_too_deep_are_left_out(void **state)
{
	struct inline_table *table = *state;
	char deep[4 * INLINE_DEPTH_MAX];

	assert_int_equal(inline_table_add(table, 0, 10, "\0\0a\0\0b\0", 7), 0);
	assert_int_equal(inline_table_find(table, 0)->n_names, 2);
	expect(table, 0, "a", "b");
	assert_int_equal(inline_table_add(table, 10, 10, "", 0), 0);
	assert_int_equal(inline_table_find(table, 10)->n_names, 0);
	for (size_t i = 0; i < sizeof(deep); i++)
		deep[i] = i % 2 ? '\0' : 'n';
	assert_int_equal(inline_table_add(table, 20, 10, deep, sizeof(deep)), 0);
	assert_int_equal(inline_table_find(table, 20)->n_names, INLINE_DEPTH_MAX);
}

static void what_has_no_size_or_no_room_is_refused(void **state)
{
	struct inline_table *table = *state;

	assert_int_equal(inline_table_add(table, 10, 0, "a", 1), -EINVAL);
	assert_int_equal(inline_table_add(table, UINT64_MAX, 2, "a", 1), -EINVAL);
	for (uint64_t i = 0; i < INLINE_TABLE_MAX; i++)
		assert_int_equal(inline_table_add(table, 2 * i, 1, "a", 1), 0);
	assert_int_equal(inline_table_add(table, 1, 1, "b", 1), -EINVAL);
	assert_int_equal(inline_table_add(table, 2, 1, "b", 1), 0);
	expect(table, 2, "b", "b");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(code_is_found_by_each_offset_in_it),
		TEST(code_takes_the_place_of_what_it_overlaps),
		TEST(empty_names_and_those_that_are_too_deep_are_left_out),
		TEST(what_has_no_size_or_no_room_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
