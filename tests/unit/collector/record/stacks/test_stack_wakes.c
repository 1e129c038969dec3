/* Rounds at times of the tests, and a watch that counts how often it was armed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "collector/record/stacks/stack_wakes.h"

#define MSEC 1000000ull

static struct {
	size_t n_arms, n_takes;
	bool has_woken;
} world;

static void arm(struct stack_watch *watch)
{
	(void)watch;
	world.n_arms++;
}

static bool take(struct stack_watch *watch)
{
	bool has_woken = world.has_woken;

	(void)watch;
	world.n_takes++;
	world.has_woken = false;
	return has_woken;
}

static const struct stack_wakes_access access_of_tests = { .arm = arm, .take = take };

static int setup(void **state)
{
	static struct stack_wakes wakes;

	world.n_arms = world.n_takes = 0;
	world.has_woken = false;
	stack_wakes_init(&wakes, (struct stack_watch *)&world, &access_of_tests);
	*state = &wakes;
	return 0;
}

/* Whether it is armed after a round that a sample has woken. */
static bool round_of_sample(struct stack_wakes *wakes, uint64_t now_ns, bool has_looked)
{
	world.has_woken = true;
	world.n_arms = 0;
	stack_wakes_begin_round(wakes, now_ns, true);
	assert_int_equal(world.n_arms, 0); /* what the round sees does not wake again */
	stack_wakes_end_round(wakes, now_ns, true, has_looked);
	return world.n_arms;
}

static bool quiet_round(struct stack_wakes *wakes, uint64_t now_ns)
{
	world.n_arms = 0;
	stack_wakes_begin_round(wakes, now_ns, true);
	stack_wakes_end_round(wakes, now_ns, true, false);
	return world.n_arms;
}

static void a_quiet_round_arms_the_watch(void **state)
{
	struct stack_wakes *wakes = *state;

	stack_wakes_begin_round(wakes, MSEC, false);
	stack_wakes_end_round(wakes, MSEC, false, false);
	assert_int_equal(world.n_arms, 0);
	assert_true(quiet_round(wakes, 2 * MSEC));
	assert_int_equal(wakes->n_woken, 0);
}

static void wake_ups_that_help_go_on(void **state)
{
	struct stack_wakes *wakes = *state;

	for (uint64_t i = 0; i < 50; i++)
		assert_true(round_of_sample(wakes, i * MSEC / 10, true));
	assert_int_equal(wakes->n_woken, 50);
}

static void wake_ups_in_vain_make_a_pause_that_doubles(void **state)
{
	struct stack_wakes *wakes = *state;
	uint64_t now_ns = 1000 * MSEC;

	for (uint64_t pause = 2 * MSEC; pause <= 128 * MSEC; pause *= 2) {
		assert_false(round_of_sample(wakes, now_ns, false));
		assert_false(quiet_round(wakes, now_ns + pause - 1));
		assert_true(quiet_round(wakes, now_ns + pause));
		now_ns += pause;
	}
	assert_false(round_of_sample(wakes, now_ns, false));
	assert_true(quiet_round(wakes, now_ns + 128 * MSEC));
	assert_true(round_of_sample(wakes, now_ns + 129 * MSEC, true));
	assert_false(round_of_sample(wakes, now_ns + 130 * MSEC, false));
	assert_true(quiet_round(wakes, now_ns + 132 * MSEC));
}

static void without_a_watch_nothing_is_armed(void **state)
{
	struct stack_wakes wakes;

	(void)state;
	stack_wakes_init(&wakes, NULL, &access_of_tests);
	assert_false(quiet_round(&wakes, MSEC));
	stack_wakes_know(&wakes, 1, 0, 1);
	stack_wakes_forget(&wakes, 1);
	assert_int_equal(world.n_takes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_quiet_round_arms_the_watch, setup),
		cmocka_unit_test_setup(wake_ups_that_help_go_on, setup),
		cmocka_unit_test_setup(wake_ups_in_vain_make_a_pause_that_doubles, setup),
		cmocka_unit_test_setup(without_a_watch_nothing_is_armed, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
