#include <errno.h>
#include <linux/perf_event.h>

#include "perf/kinds/branch_filter.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void names_add_up(void **state)
{
	uint64_t filter;

	(void)state;
	assert_int_equal(branch_filter_parse("any_call,u,save_type", &filter), 0);
	assert_int_equal(filter, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER |
					 PERF_SAMPLE_BRANCH_TYPE_SAVE);
}

static void modes_alone_are_of_all_branches(void **state)
{
	uint64_t filter;

	(void)state;
	assert_int_equal(branch_filter_parse("u,k", &filter), 0);
	assert_int_equal(filter, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
					 PERF_SAMPLE_BRANCH_KERNEL);
}

static void other_names_are_refused(void **state)
{
	static const char *const cases[] = { "", ",", "any,", "an", "anything", "any, u" };
	uint64_t filter;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(branch_filter_parse(cases[i], &filter), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_add_up),
		cmocka_unit_test(modes_alone_are_of_all_branches),
		cmocka_unit_test(other_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
