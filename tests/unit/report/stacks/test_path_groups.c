#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/stacks/path_groups.h"
#include "tests/unit/fixtures/letter_profile.h"

static void expect_groups(const struct profile *profile, enum view_grouping grouping,
			  const char *const *names, const uint64_t *weights, uint32_t n)
{
	struct path_groups groups;

	assert_int_equal(path_groups_init(&groups, profile, grouping), 0);
	assert_int_equal(groups.n_groups, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_string_equal(groups.names.strings[i], names[i]);
		assert_int_equal(path_groups_cost(&groups, profile, i, 0).weight, weights[i]);
	}
	assert_int_equal(groups.group_of[CCT_ROOT], PATH_GROUP_NONE);
	path_groups_deinit(&groups);
}

static void paths_are_grouped_by_comm_process_or_thread(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles" }, 1);
	const uint32_t threads[] = { letter_profile_thread(&letters, 5, 5, "prog"),
				     letter_profile_thread(&letters, 5, 6, "worker"),
				     letter_profile_thread(&letters, 7, 7, "prog") };
	for (uint32_t i = 0; i < 3; i++) {
		letter_profile_add(&letters, threads[i], "ab", 0, 1u << i, 0);
		letter_profile_add(&letters, threads[i], "a", 0, 8u << i, 0);
	}
	expect_groups(letters.profile, GROUP_COMM, (const char *[]){ "prog" },
		      (const uint64_t[]){ 63 }, 1);
	expect_groups(letters.profile, GROUP_PROCESS, (const char *[]){ "prog-5", "prog-7" },
		      (const uint64_t[]){ 27, 36 }, 2);
	expect_groups(letters.profile, GROUP_THREAD,
		      (const char *[]){ "prog-5/5", "worker-5/6", "prog-7/7" },
		      (const uint64_t[]){ 9, 18, 36 }, 3);
	letter_profile_deinit(&letters);
}

static void a_profile_without_paths_has_no_groups(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles" }, 1);
	expect_groups(letters.profile, GROUP_THREAD, NULL, NULL, 0);
	letter_profile_deinit(&letters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_grouped_by_comm_process_or_thread),
		cmocka_unit_test(a_profile_without_paths_has_no_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
