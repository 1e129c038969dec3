#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/time/phases.h"

#define START_NS 1000000u

static void a_phase_lasts_until_the_next_begins_or_it_ends(void **state)
{
	struct phases phases = { .n = 0 };

	(void)state;
	assert_int_equal(phases_mark(&phases, "load", START_NS + 5000), 0);
	assert_int_equal(phases_mark(&phases, "run", START_NS + 9000), 0);
	assert_int_equal(phases_mark(&phases, "", START_NS + 20000), 0);
	assert_int_equal(phases_mark(&phases, "", START_NS + 21000), 0);
	assert_int_equal(phases_mark(&phases, "run", START_NS + 30000), 0);
	assert_int_equal(phases.n, 3);

	assert_int_equal(phases_find(&phases, 0, START_NS, 0), PHASE_NONE);
	assert_int_equal(phases_find(&phases, 0, START_NS, 4), PHASE_NONE);
	assert_int_equal(phases_find(&phases, 0, START_NS, 5), 0);
	assert_int_equal(phases_find(&phases, 0, START_NS, 8), 0);
	assert_int_equal(phases_find(&phases, 0, START_NS, 9), 1);
	assert_int_equal(phases_find(&phases, 0, START_NS, 19), 1);
	assert_int_equal(phases_find(&phases, 0, START_NS, 20), PHASE_NONE);
	assert_int_equal(phases_find(&phases, 0, START_NS, 30), 2);
	assert_int_equal(phases_find(&phases, 0, START_NS, UINT64_MAX), 2);
	phases_deinit(&phases);
}

/* The microsecond of a sample is that in which its time lies. */
static void a_sample_before_a_mark_is_not_in_its_phase(void **state)
{
	(void)state;
	for (uint64_t mark_ns = START_NS; mark_ns < START_NS + 3000; mark_ns += 7) {
		struct phases phases = { .n = 0 };

		assert_int_equal(phases_mark(&phases, "run", mark_ns), 0);
		for (uint64_t ns = START_NS; ns < mark_ns; ns++)
			assert_int_equal(phases_find(&phases, 0, START_NS, (ns - START_NS) / 1000),
					 PHASE_NONE);
		for (uint64_t ns = mark_ns + 1000; ns < START_NS + 5000; ns++)
			assert_int_equal(phases_find(&phases, 0, START_NS, (ns - START_NS) / 1000),
					 0);
		phases_deinit(&phases);
	}
}

static void a_phase_that_began_before_the_first_sample_has_all(void **state)
{
	struct phases phases = { .n = 0 };

	(void)state;
	assert_int_equal(phases_mark(&phases, "first", START_NS - 500), 0);
	assert_int_equal(phases_mark(&phases, "second", START_NS - 1), 0);
	assert_int_equal(phases_find(&phases, 0, START_NS, 0), 1);
	phases_deinit(&phases);
}

static void marks_that_go_back_or_have_long_names_are_refused(void **state)
{
	struct phases phases = { .n = 0 };
	char name[PHASE_NAME_SIZE_MAX + 2];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(phases_mark(&phases, "a", START_NS), 0);
	assert_int_equal(phases_mark(&phases, "b", START_NS - 1), -EINVAL);
	assert_int_equal(phases_mark(&phases, name, START_NS), -EINVAL);
	assert_int_equal(phases_mark(&phases, name + 1, START_NS), 0);
	assert_int_equal(phases.n, 2);
	phases_deinit(&phases);
}

static void the_number_of_phases_is_bounded(void **state)
{
	struct phases phases = { .n = 0 };

	(void)state;
	for (uint64_t i = 0; i < PHASES_MAX + 5; i++)
		assert_int_equal(phases_mark(&phases, "a", START_NS + i * 1000), 0);
	assert_int_equal(phases.n, PHASES_MAX);
	assert_int_equal(phases_find(&phases, 0, START_NS, PHASES_MAX - 1), PHASES_MAX - 1);
	assert_int_equal(phases_find(&phases, 0, START_NS, PHASES_MAX), PHASE_NONE);
	phases_deinit(&phases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_phase_lasts_until_the_next_begins_or_it_ends),
		cmocka_unit_test(a_sample_before_a_mark_is_not_in_its_phase),
		cmocka_unit_test(a_phase_that_began_before_the_first_sample_has_all),
		cmocka_unit_test(marks_that_go_back_or_have_long_names_are_refused),
		cmocka_unit_test(the_number_of_phases_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
