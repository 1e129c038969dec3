#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/time/losses.h"

static void add(struct losses *losses, enum loss_kind kind, uint32_t cpu, uint64_t start_ns,
		uint64_t end_ns, uint64_t n)
{
	assert_int_equal(losses_add(losses, &(struct loss){ kind, cpu, start_ns, end_ns, n }), 0);
}

static uint64_t sum_of(const struct losses *losses, enum loss_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < losses->n; i++)
		sum += losses->losses[i].kind == kind ? losses->losses[i].n : 0;
	return sum;
}

static bool covers(const struct losses *losses, enum loss_kind kind, uint32_t cpu,
		   uint64_t start_ns, uint64_t end_ns)
{
	for (size_t i = 0; i < losses->n; i++) {
		const struct loss *loss = &losses->losses[i];

		if (loss->kind == kind && (loss->cpu == cpu || loss->cpu == LOSS_NO_CPU) &&
		    loss->start_ns <= start_ns && loss->end_ns >= end_ns)
			return true;
	}
	return false;
}

static void few_losses_stay_as_they_are_and_are_sorted(void **state)
{
	struct losses losses = { .n = 0 };

	(void)state;
	add(&losses, LOSS_BY_THROTTLING, 1, 500, 900, 1);
	add(&losses, LOSS_OF_SAMPLES, 0, 100, 200, 7);
	add(&losses, LOSS_OF_SAMPLES, 0, 201, 300, 3);
	losses_sort(&losses);
	assert_int_equal(losses.n, 3);
	assert_int_equal(losses.losses[0].n, 7);
	assert_int_equal(losses.losses[1].n, 3);
	assert_int_equal(losses.losses[2].kind, LOSS_BY_THROTTLING);
	losses_deinit(&losses);
}

/* Of 100 000 some are joined; each time stays covered, and no number is lost. */
static void of_many_neighbours_are_joined_and_none_is_left_out(void **state)
{
	struct losses losses = { .n = 0 };

	(void)state;
	for (uint64_t i = 0; i < 100000; i++)
		add(&losses, i % 5 ? LOSS_OF_SAMPLES : LOSS_BY_THROTTLING, (uint32_t)(i % 3),
		    i * 1000000, i * 1000000 + 300, 2);
	losses_sort(&losses);
	assert_in_range(losses.n, LOSSES_MAX / 4, LOSSES_MAX);
	assert_int_equal(sum_of(&losses, LOSS_OF_SAMPLES), 160000);
	assert_int_equal(sum_of(&losses, LOSS_BY_THROTTLING), 40000);
	for (uint64_t i = 0; i < 100000; i += 777)
		assert_true(covers(&losses, i % 5 ? LOSS_OF_SAMPLES : LOSS_BY_THROTTLING,
				   (uint32_t)(i % 3), i * 1000000, i * 1000000 + 300));
	for (size_t i = 1; i < losses.n; i++)
		assert_true(losses.losses[i - 1].start_ns <= losses.losses[i].start_ns);
	losses_deinit(&losses);
}

static void of_very_many_cpus_the_numbers_are_forgotten(void **state)
{
	struct losses losses = { .n = 0 };

	(void)state;
	for (uint32_t i = 0; i < 50000; i++)
		add(&losses, LOSS_OF_SAMPLES, i, UINT64_MAX / 50000 * i, UINT64_MAX / 50000 * i, 1);
	assert_in_range(losses.n, 1, LOSSES_MAX);
	assert_int_equal(sum_of(&losses, LOSS_OF_SAMPLES), 50000);
	assert_true(covers(&losses, LOSS_OF_SAMPLES, 77, UINT64_MAX / 50000 * 77,
			   UINT64_MAX / 50000 * 77));
	losses_deinit(&losses);
}

static void the_largest_number_is_no_overflow(void **state)
{
	struct losses losses = { .n = 0 };

	(void)state;
	for (size_t i = 0; i <= LOSSES_MAX; i++)
		add(&losses, LOSS_OF_SAMPLES, 0, 5, UINT64_MAX, UINT64_MAX);
	assert_int_equal(losses.losses[0].n, UINT64_MAX);
	losses_deinit(&losses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_losses_stay_as_they_are_and_are_sorted),
		cmocka_unit_test(of_many_neighbours_are_joined_and_none_is_left_out),
		cmocka_unit_test(of_very_many_cpus_the_numbers_are_forgotten),
		cmocka_unit_test(the_largest_number_is_no_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
