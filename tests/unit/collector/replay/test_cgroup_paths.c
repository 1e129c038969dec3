#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/replay/cgroup_paths.h"

static struct string_ids paths;
static struct cgroup_paths cgroups;

static int setup(void **state)
{
	(void)state;
	cgroups = (struct cgroup_paths){ .paths = &paths };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cgroup_paths_deinit(&cgroups);
	string_ids_deinit(&paths);
	return 0;
}

static void expect(uint64_t id, uint32_t number, const char *path)
{
	const char *found = "";
	uint32_t number_found = UINT32_MAX;

	assert_int_equal(cgroup_paths_find(&cgroups, id, &number_found, &found), 0);
	assert_int_equal(number_found, number);
	if (path)
		assert_string_equal(found, path);
	else
		assert_null(found);
}

static void a_cgroup_has_the_path_that_was_recorded_first(void **state)
{
	(void)state;
	assert_int_equal(cgroup_paths_add(&cgroups, 1, "/"), 0);
	assert_int_equal(cgroup_paths_add(&cgroups, 1ull << 33 | 7, "/a"), 0);
	assert_int_equal(cgroup_paths_add(&cgroups, 1, "/b"), 0);
	expect(1, 1, "/");
	expect(1ull << 33 | 7, 2, "/a");
	assert_int_equal(paths.n_strings, 2);
}

static void cgroups_of_one_path_are_one(void **state)
{
	(void)state;
	assert_int_equal(cgroup_paths_add(&cgroups, 5, "/restarted.service"), 0);
	assert_int_equal(cgroup_paths_add(&cgroups, 6, "/restarted.service"), 0);
	expect(5, 1, "/restarted.service");
	expect(6, 1, "/restarted.service");
}

static void a_cgroup_without_a_record_has_its_number(void **state)
{
	(void)state;
	expect(77, 1, "[cgroup 77]");
	assert_int_equal(cgroup_paths_add(&cgroups, 78, "/late"), 0);
	expect(77, 1, "[cgroup 77]");
	expect(78, 2, "/late");
}

static void no_cgroup_is_known_without_a_number(void **state)
{
	(void)state;
	expect(0, 0, NULL);
	assert_int_equal(cgroup_paths_add(&cgroups, 1, "/"), 0);
	expect(0, 0, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_cgroup_has_the_path_that_was_recorded_first),
		TEST(cgroups_of_one_path_are_one),
		TEST(a_cgroup_without_a_record_has_its_number),
		TEST(no_cgroup_is_known_without_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
