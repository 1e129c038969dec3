#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/base/clock.h"
#include "collector/agent/hang_check.h"

#define MS NSEC_PER_MSEC
#define S  NSEC_PER_SEC

static void who_takes_no_time_hangs(void **state)
{
	(void)state;
	struct hang_check check;

	hang_check_start(&check, 100 * S, 5 * S);
	assert_false(hang_check_hangs(&check, 101 * S, 5 * S)); /* too early to tell */
	assert_true(hang_check_hangs(&check, check.next_ns, 5 * S));
}

static void who_waits_for_a_busy_machine_does_not(void **state)
{
	(void)state;
	struct hang_check check;
	uint64_t cpu_ns = 5 * S;

	hang_check_start(&check, 100 * S, cpu_ns);
	for (int i = 0; i < 100; i++)
		assert_false(hang_check_hangs(&check, check.next_ns, cpu_ns += MS));
	assert_true(hang_check_hangs(&check, check.next_ns, cpu_ns));
}

static void who_never_ends_hangs(void **state)
{
	(void)state;
	struct hang_check check;
	uint64_t cpu_ns = 1000 * S;
	int n = 0;

	hang_check_start(&check, 100 * S, cpu_ns);
	while (!hang_check_hangs(&check, check.next_ns, cpu_ns += 30 * S))
		n++;
	assert_in_range(n, 1, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_takes_no_time_hangs),
		cmocka_unit_test(who_waits_for_a_busy_machine_does_not),
		cmocka_unit_test(who_never_ends_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
