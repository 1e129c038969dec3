#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/text/file_names.h"

static void names_are_taken_as_they_were_added(void **state)
{
	struct file_names names = { .n = 0 };
	char name[FILE_NAME_SIZE];

	(void)state;
	assert_string_equal(file_names_text(&names), "");
	assert_int_equal(file_names_add(&names, "libm.so.6"), 0);
	assert_int_equal(file_names_add(&names, ""), 0);
	assert_int_equal(file_names_add(&names, "a, b"), 0);
	assert_int_equal(names.n, 2);
	const char *rest = file_names_text(&names);
	assert_string_equal(rest, "libm.so.6/a, b");
	assert_true(file_names_next(&rest, name));
	assert_string_equal(name, "libm.so.6");
	assert_true(file_names_next(&rest, name));
	assert_string_equal(name, "a, b");
	assert_false(file_names_next(&rest, name));
	file_names_deinit(&names);
}

static void names_beyond_the_bounds_are_cut_or_only_counted(void **state)
{
	struct file_names names = { .n = 0 };
	char longer[2 * FILE_NAME_SIZE], name[FILE_NAME_SIZE];
	uint32_t n_taken = 0;

	(void)state;
	memset(longer, 'n', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	for (int i = 0; i < 100; i++)
		assert_int_equal(file_names_add(&names, longer), 0);
	assert_int_equal(names.n, 100);
	assert_true(strlen(file_names_text(&names)) < FILE_NAMES_SIZE_MAX);
	for (const char *rest = file_names_text(&names); file_names_next(&rest, name); n_taken++)
		assert_int_equal(strlen(name), FILE_NAME_SIZE - 1);
	assert_int_equal(n_taken, (FILE_NAMES_SIZE_MAX - 1 + 1) / FILE_NAME_SIZE);
	file_names_deinit(&names);
}

static void texts_of_another_origin_are_read_safely(void **state)
{
	char text[3 * FILE_NAME_SIZE], name[FILE_NAME_SIZE];
	const char *rest = "//a///b/";

	(void)state;
	assert_true(file_names_next(&rest, name));
	assert_string_equal(name, "a");
	assert_true(file_names_next(&rest, name));
	assert_string_equal(name, "b");
	assert_false(file_names_next(&rest, name));
	memset(text, 'n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	rest = text;
	assert_true(file_names_next(&rest, name));
	assert_int_equal(strlen(name), FILE_NAME_SIZE - 1);
	assert_false(file_names_next(&rest, name));
}

static void a_name_matches_whole_or_by_a_glob(void **state)
{
	static const char text[] = "libssl.so.3/libcrypto.so.3";

	(void)state;
	assert_true(file_names_match(text, "libcrypto.so.3"));
	assert_true(file_names_match(text, "libssl*"));
	assert_false(file_names_match(text, "libssl"));
	assert_false(file_names_match(text, "libssl.so.3/libcrypto.so.3"));
	assert_false(file_names_match("", "*"));
}

static void expect_description(const char *text, uint32_t n, uint32_t n_shown, const char *expected)
{
	char *described = file_names_describe(text, n, n_shown);

	assert_non_null(described);
	assert_string_equal(described, expected);
	free(described);
}

static void a_description_has_the_first_names_and_how_many_more(void **state)
{
	(void)state;
	expect_description("", 0, 3, "");
	expect_description("a", 1, 3, "a");
	expect_description("a/b/c", 3, 3, "a, b, c");
	expect_description("a/b/c", 3, 2, "a, b and 1 more");
	expect_description("a/b", 7, 3, "a, b and 5 more");
	expect_description("", 7, 3, "7 files");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_taken_as_they_were_added),
		cmocka_unit_test(names_beyond_the_bounds_are_cut_or_only_counted),
		cmocka_unit_test(texts_of_another_origin_are_read_safely),
		cmocka_unit_test(a_name_matches_whole_or_by_a_glob),
		cmocka_unit_test(a_description_has_the_first_names_and_how_many_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
