#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/parts/recent_parts.h"

static void add(struct recent_parts *parts, const struct recent_choice *choice, uint64_t begin_ns,
		uint64_t end_ns, uint64_t size)
{
	const struct recent_part part = {
		.fd = recent_parts_open(),
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.size = size,
		.n_samples = 10,
	};

	assert_true(part.fd >= 0);
	assert_int_equal(recent_parts_add(parts, choice, &part), 0);
}

static void parts_are_kept_while_those_after_them_are_too_short(void **state)
{
	const struct recent_choice choice = { .last_ns = 100, .max_size = 1 << 20 };
	struct recent_parts parts = { 0 };

	(void)state;
	assert_int_equal(recent_part_ns(&choice), 26);
	for (uint64_t i = 0; i < 1000; i++) {
		add(&parts, &choice, 25 * i, 25 * (i + 1), 1);
		const uint64_t kept_ns = 25 * (i + 1) - parts.parts[0].begin_ns;
		assert_int_equal(kept_ns, i < 4 ? 25 * (i + 1) : 100);
		assert_int_equal(parts.n_samples, 10 * parts.n);
		assert_int_equal(parts.n_dropped + parts.n, i + 1);
	}
	/* The last one is kept, however long it is. */
	add(&parts, &choice, 25000, 90000, 1);
	assert_int_equal(parts.n, 1);
	recent_parts_deinit(&parts);
}

static void parts_are_dropped_when_they_are_too_large(void **state)
{
	const struct recent_choice choice = { .last_ns = UINT32_MAX, .max_size = 800 };
	struct recent_parts parts = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		add(&parts, &choice, i, i + 1, recent_part_size(&choice));
		assert_true(parts.n_bytes + recent_part_size(&choice) <= choice.max_size + 1);
	}
	assert_int_equal(parts.n, 6);
	recent_parts_deinit(&parts);
}

static void nothing_is_joined_of_nothing(void **state)
{
	const struct recent_parts parts = { 0 };
	struct recent_join *join;

	(void)state;
	assert_int_equal(recent_join_begin(&parts, true, -1, &join), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_kept_while_those_after_them_are_too_short),
		cmocka_unit_test(parts_are_dropped_when_they_are_too_large),
		cmocka_unit_test(nothing_is_joined_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
