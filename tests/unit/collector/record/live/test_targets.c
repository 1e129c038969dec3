#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/live/targets.h"
#include "tests/unit/fixtures/emulated.h"

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

static void absent_cpus_are_not_online(void **state)
{
	struct int_list online, none = { 0 }, absent = { 0 }, present = { 0 };

	(void)state;
	assert_int_equal(targets_online_cpus(&online), 0);
	assert_int_equal(targets_absent_cpus(&online, &absent), 0);
	assert_int_equal(targets_absent_cpus(&none, &present), 0);
	assert_int_equal(online.n + absent.n, present.n);
	for (size_t i = 0; i < online.n; i++)
		assert_false(int_list_has(&absent, online.values[i]));
	int_list_deinit(&online);
	int_list_deinit(&absent);
	int_list_deinit(&present);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_has_its_threads_and_threads_their_process),
		cmocka_unit_test(who_does_not_exist_is_named),
		cmocka_unit_test(some_cpu_is_online),
		cmocka_unit_test(absent_cpus_are_not_online),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
