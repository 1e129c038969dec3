/* Which thread the recorder shares a CPU with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/record/follow/held_thread.h"

static void it_goes_where_its_thread_goes(void **state)
{
	struct held_thread held;

	(void)state;
	held_thread_init(&held);
	assert_true(held_thread_see(&held, 10, 3));
	assert_int_equal(held.cpu, 3);
	held.own_cpu = 3;
	assert_false(held_thread_see(&held, 10, 3));
	assert_true(held_thread_see(&held, 10, 5));
	assert_int_equal(held.cpu, 5);
}

static void of_threads_that_run_at_the_same_time_it_stays_with_one(void **state)
{
	struct held_thread held;

	(void)state;
	held_thread_init(&held);
	held_thread_see(&held, 10, 3);
	held.own_cpu = 3;
	for (int i = 0; i < 1000; i++) {
		assert_false(held_thread_see(&held, 10, 3));
		assert_false(held_thread_see(&held, 11, 4));
	}
}

static void a_thread_that_is_gone_is_left(void **state)
{
	struct held_thread held;
	int n = 0;

	(void)state;
	held_thread_init(&held);
	for (int i = 0; i < 100; i++)
		held_thread_see(&held, 10, 3);
	held.own_cpu = 3;
	while (!held_thread_see(&held, 11, 4))
		n++;
	assert_int_equal(held.tid, 11);
	assert_int_equal(held.cpu, 4);
	assert_true(n > 0 && n < 10);
}

static void without_real_time_priority_it_moves_nobody(void **state)
{
	struct held_thread held;
	cpu_set_t before, after;

	(void)state;
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	held_thread_init(&held);
	held_thread_see(&held, 10, 0);
	held_thread_join(&held, 0);
	assert_int_equal(held.own_cpu, UINT32_MAX);
	held_thread_leave(&held, 0);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_goes_where_its_thread_goes),
		cmocka_unit_test(of_threads_that_run_at_the_same_time_it_stays_with_one),
		cmocka_unit_test(a_thread_that_is_gone_is_left),
		cmocka_unit_test(without_real_time_priority_it_moves_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
