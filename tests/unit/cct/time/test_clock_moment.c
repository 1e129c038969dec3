/* Reads two clocks that the test sets, where it has set them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/clock.h"
#include "cct/time/clock_moment.h"

#define START (1000 * NSEC_PER_SEC)
#define NOON  (1700000000 * NSEC_PER_SEC)
#define N_MAX 100

/* How much time passes before each reading, of whatever clock; both clocks are as fast. */
static uint64_t pauses_ns[N_MAX];
static size_t n_pauses, n_readings;
static uint64_t passed_ns;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	if (!n_pauses)
		return (int)syscall(SYS_clock_gettime, clock, time);
	passed_ns += pauses_ns[n_readings++ % n_pauses];
	const uint64_t ns = (clock == CLOCK_REALTIME ? NOON : START) + passed_ns;
	*time = (struct timespec){ (time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC) };
	return 0;
}

/* How far the two are apart from what they are at any moment. */
static int64_t read_error(void)
{
	struct clock_moment moment;

	assert_int_equal(clock_moment_read(CLOCK_MONOTONIC, &moment), 0);
	return (int64_t)(moment.unix_ns - moment.now_ns) - (int64_t)(NOON - START);
}

static int forget(void **state)
{
	(void)state;
	n_pauses = n_readings = 0;
	passed_ns = 0;
	return 0;
}

static void a_pause_between_the_two_is_read_again(void **state)
{
	(void)state;
	n_pauses = N_MAX;
	for (size_t i = 0; i < N_MAX; i++)
		pauses_ns[i] = 100;
	pauses_ns[1] = 300 * NSEC_PER_MSEC;
	pauses_ns[5] = 50 * NSEC_PER_MSEC;
	assert_int_equal(read_error(), 0);
	assert_int_equal(n_readings, 9);
}

static void the_shortest_of_many_pauses_is_taken(void **state)
{
	(void)state;
	n_pauses = 99;
	for (size_t i = 0; i < n_pauses; i++)
		pauses_ns[i] = NSEC_PER_MSEC;
	pauses_ns[61] = 100 * NSEC_PER_USEC;
	pauses_ns[62] = 120 * NSEC_PER_USEC;
	assert_int_equal(read_error(), -10 * (int64_t)NSEC_PER_USEC);
	assert_int_equal(n_readings, 96);
}

static void the_clocks_of_this_machine_are_read(void **state)
{
	struct clock_moment moment;

	(void)state;
	const uint64_t before_ns = now_ns();
	assert_int_equal(clock_moment_read(CLOCK_MONOTONIC, &moment), 0);
	assert_in_range(moment.now_ns, before_ns, now_ns());
	assert_true(moment.unix_ns > NOON);
	assert_int_equal(clock_moment_read(4711, &moment), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_pause_between_the_two_is_read_again, forget),
		cmocka_unit_test_setup(the_shortest_of_many_pauses_is_taken, forget),
		cmocka_unit_test_setup(the_clocks_of_this_machine_are_read, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
