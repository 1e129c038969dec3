#include <stdint.h>
#include <string.h>

#include "report/names/source_paths.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void paths_are_joined_and_spelled_one_way(void **state)
{
	static const struct {
		const char *directory, *file, *path;
	} cases[] = {
		{ "/home", "/usr/a.c", "/usr/a.c" },
		{ "/home", "a.c", "/home/a.c" },
		{ "/home/", "./b/../a.c", "/home/a.c" },
		{ "/home/x", "../../../a.c", "/a.c" },
		{ NULL, "../a.c", "../a.c" },
		{ NULL, "a/../../b.c", "../b.c" },
		{ NULL, "a/./b//c.c", "a/b/c.c" },
		{ "rel", "../..a.c", "..a.c" },
		{ "/", "..", "/" },
		{ "/a", ".", "/a/" },
		{ NULL, "", "" },
		{ "", "a.c", "/a.c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct source_paths *paths = source_paths_create();
		uint32_t id;

		assert_int_equal(source_paths_intern(paths, cases[i].directory, cases[i].file, &id),
				 0);
		assert_string_equal(source_paths_get(paths, id), cases[i].path);
		source_paths_destroy(paths);
	}
}

static void one_path_has_one_number(void **state)
{
	struct source_paths *paths = source_paths_create();
	uint32_t first, again, other;

	(void)state;
	assert_int_equal(source_paths_intern(paths, "/x", "a.c", &first), 0);
	assert_int_equal(source_paths_intern(paths, NULL, "/x/y/../a.c", &again), 0);
	assert_int_equal(source_paths_intern(paths, "/x", "b.c", &other), 0);
	assert_int_equal(again, first);
	assert_int_not_equal(other, first);
	source_paths_destroy(paths);
}

static void the_end_of_a_path_is_what_is_kept(void **state)
{
	(void)state;
	assert_string_equal(source_path_tail("/usr/src/a.c", 12), "/usr/src/a.c");
	assert_string_equal(source_path_tail("/usr/src/a.c", 11), "usr/src/a.c");
	assert_string_equal(source_path_tail("/usr/src/a.c", 10), "src/a.c");
	assert_string_equal(source_path_tail("/usr/src/a.c", 1), "a.c");
	assert_string_equal(source_path_tail("abcdef", 3), "abcdef");
	assert_string_equal(source_path_tail("abc/", 1), "abc/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_joined_and_spelled_one_way),
		cmocka_unit_test(one_path_has_one_number),
		cmocka_unit_test(the_end_of_a_path_is_what_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
