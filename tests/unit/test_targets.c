#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/live/targets.h"
#include "tests/unit/emulated.h"

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
		{ "4194304", 1, { 4194304 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct int_list list;

		assert_int_equal(int_list_parse(cases[i].text, &list), 0);
		assert_int_equal(list.n, cases[i].n);
		assert_memory_equal(list.values, cases[i].values, list.n * sizeof(int));
		int_list_deinit(&list);
	}
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const texts[] = { "",      ",",   "1,",          "1,,2", "-1",
					     "3-1",   "1-",  "99999999999", "1 2",  "a",
					     "1-2-3", "0x1", "+1",          "1.5" };
	struct int_list list = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(int_list_parse(texts[i], &list), -EINVAL);
		assert_null(list.values);
	}
}

static void a_process_has_its_threads_and_threads_their_process(void **state)
{
	struct int_list self = { &(int){ getpid() }, 1 }, tids, pids;
	pid_t missing;

	(void)state;
	SKIP_IF_EMULATED("threads");
	assert_int_equal(targets_threads(&self, &tids, &missing), 0);
	assert_int_equal(tids.n, 1);
	assert_int_equal(tids.values[0], getpid());
	assert_int_equal(targets_processes(&tids, &pids, &missing), 0);
	assert_int_equal(pids.n, 1);
	assert_int_equal(pids.values[0], getpid());
	int_list_deinit(&tids);
	int_list_deinit(&pids);
}

static void who_does_not_exist_is_named(void **state)
{
	struct int_list nobody = { &(int){ 4194304 }, 1 }, ret;
	pid_t missing = 0;

	(void)state;
	assert_int_equal(targets_threads(&nobody, &ret, &missing), -ESRCH);
	assert_int_equal(missing, 4194304);
	missing = 0;
	assert_int_equal(targets_processes(&nobody, &ret, &missing), -ESRCH);
	assert_int_equal(missing, 4194304);
}

static void some_cpu_is_online(void **state)
{
	struct int_list cpus;

	(void)state;
	assert_int_equal(targets_online_cpus(&cpus), 0);
	assert_int_equal(cpus.n, sysconf(_SC_NPROCESSORS_ONLN));
	int_list_deinit(&cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_numbers_and_ranges),
		cmocka_unit_test(what_is_no_list_is_refused),
		cmocka_unit_test(a_process_has_its_threads_and_threads_their_process),
		cmocka_unit_test(who_does_not_exist_is_named),
		cmocka_unit_test(some_cpu_is_online),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
