#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/base/clock.h"

static void the_clock_is_that_of_the_records(void **state)
{
	(void)state;
	struct timespec before, after;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &before), 0);
	uint64_t now = now_ns();
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &after), 0);
	assert_true(now / NSEC_PER_SEC >= (uint64_t)before.tv_sec);
	assert_true(now / NSEC_PER_SEC <= (uint64_t)after.tv_sec);
	assert_true(now_ns() >= now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_is_that_of_the_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
