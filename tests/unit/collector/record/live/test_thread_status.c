#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/live/thread_status.h"

static void a_status_has_name_state_process_and_switches(void **state)
{
	struct thread_status status;

	(void)state;
	assert_true(thread_status_parse("Name:\tState: R a long name\nUmask:\t0022\n"
					"State:\tS (sleeping)\nTgid:\t123\nNgid:\t0\n"
					"voluntary_ctxt_switches:\t7\n"
					"nonvoluntary_ctxt_switches:\t30\n",
					&status));
	assert_string_equal(status.name, "State: R a long");
	assert_int_equal(status.state, 'S');
	assert_int_equal(status.pid, 123);
	assert_int_equal(status.n_switches, 37);
}

static void what_lacks_a_line_is_refused(void **state)
{
	struct thread_status status;

	(void)state;
	assert_false(thread_status_parse("", &status));
	assert_false(thread_status_parse("Name:\tx\nState:\tS\nTgid:\t1\n", &status));
	assert_false(thread_status_parse("Name:\tx\nState:\tS\nTgid:\tx\n"
					 "voluntary_ctxt_switches:\t7\n"
					 "nonvoluntary_ctxt_switches:\t30",
					 &status));
}

static void a_thread_that_runs_is_running(void **state)
{
	struct thread_status status;

	(void)state;
	assert_int_equal(thread_status_read("/proc", getpid(), &status), 0);
	assert_int_equal(status.state, 'R');
	assert_int_equal(status.pid, getpid());
	assert_int_equal(thread_status_read("/nonexistent", getpid(), &status), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_status_has_name_state_process_and_switches),
		cmocka_unit_test(what_lacks_a_line_is_refused),
		cmocka_unit_test(a_thread_that_runs_is_running),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
