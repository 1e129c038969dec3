/* Watched times join, and tell what is missing between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/time/watched_time.h"

static void add(struct watched_time *watched, uint64_t start_ns, uint64_t end_ns)
{
	const struct time_span span = { start_ns, end_ns };

	assert_int_equal(watched_time_add(watched, &span), 0);
}

static void expect(const struct watched_time *watched, const struct time_span *spans, size_t n)
{
	assert_int_equal(watched->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(watched->spans[i].start_ns, spans[i].start_ns);
		assert_int_equal(watched->spans[i].end_ns, spans[i].end_ns);
	}
}

static void times_that_touch_or_overlap_are_one_in_any_order(void **state)
{
	static const uint64_t orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 }, { 1, 2, 0 } };
	static const struct time_span parts[] = { { 10, 20 }, { 20, 30 }, { 25, 40 } };
	static const struct time_span all[] = { { 10, 40 } };

	(void)state;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct watched_time watched = { 0 };

		for (size_t j = 0; j < 3; j++)
			assert_int_equal(watched_time_add(&watched, &parts[orders[i][j]]), 0);
		expect(&watched, all, 1);
		watched_time_deinit(&watched);
	}
}

static void others_stay_apart_in_order(void **state)
{
	static const struct time_span both[] = { { 10, 20 }, { 30, 40 } };
	static const struct time_span one[] = { { 5, 50 } };
	struct watched_time watched = { 0 };

	(void)state;
	add(&watched, 30, 40);
	add(&watched, 10, 20);
	add(&watched, 15, 15);
	add(&watched, 60, 55);
	expect(&watched, both, 2);
	assert_int_equal(watched_time_total_ns(&watched, NULL), 20);
	assert_int_equal(watched_time_total_ns(&watched, &(struct time_span){ 15, 31 }), 6);
	add(&watched, 5, 50);
	expect(&watched, one, 1);
	watched_time_deinit(&watched);
}

static void gaps_are_between_them_or_in_what_was_asked_for(void **state)
{
	struct watched_time watched = { 0 };
	struct time_span gap;

	(void)state;
	assert_false(watched_time_gap(&watched, 0, &gap));
	add(&watched, 10, 20);
	add(&watched, 30, 40);
	assert_true(watched_time_gap(&watched, 0, &gap));
	assert_int_equal(gap.start_ns, 20);
	assert_int_equal(gap.end_ns, 30);
	assert_false(watched_time_gap(&watched, 1, &gap));
	watched.asked = (struct time_span){ 5, 35 };
	assert_true(watched_time_gap(&watched, 0, &gap));
	assert_int_equal(gap.start_ns, 5);
	assert_int_equal(gap.end_ns, 10);
	assert_true(watched_time_gap(&watched, 1, &gap));
	assert_int_equal(gap.start_ns, 20);
	assert_int_equal(gap.end_ns, 30);
	assert_false(watched_time_gap(&watched, 2, &gap));
	watched.asked = (struct time_span){ 50, 70 };
	assert_true(watched_time_gap(&watched, 0, &gap));
	assert_int_equal(gap.start_ns, 50);
	assert_int_equal(gap.end_ns, 70);
	assert_false(watched_time_gap(&watched, 1, &gap));
	watched.asked = (struct time_span){ 12, 18 };
	assert_false(watched_time_gap(&watched, 0, &gap));
	watched_time_deinit(&watched);
}

static void of_too_many_the_nearest_become_one(void **state)
{
	struct watched_time watched = { 0 };
	uint64_t at = 0;

	(void)state;
	for (unsigned i = 0; i < WATCHED_TIMES_MAX; i++) {
		add(&watched, at, at + 10);
		at += i == 100 ? 11 : 20;
	}
	assert_int_equal(watched.n, WATCHED_TIMES_MAX);
	add(&watched, at, at + 10);
	assert_int_equal(watched.n, WATCHED_TIMES_MAX);
	assert_int_equal(watched.spans[100].start_ns, 2000);
	assert_int_equal(watched.spans[100].end_ns, 2021);
	watched_time_deinit(&watched);
}

static void costs_add_up(void **state)
{
	struct watched_time a = { .own_cpu_ns = 5, .own_memory = 100, .slow_ns = 3 };
	struct watched_time b = { .own_cpu_ns = UINT64_MAX - 6, .own_memory = 70, .slow_ns = 4 };

	(void)state;
	add(&b, 1, 2);
	assert_int_equal(watched_time_merge(&a, &b), 0);
	assert_int_equal(a.own_cpu_ns, UINT64_MAX - 1);
	assert_int_equal(a.own_memory, 100);
	assert_int_equal(a.slow_ns, 7);
	assert_int_equal(a.n, 1);
	assert_int_equal(watched_time_merge(&a, &b), 0);
	assert_int_equal(a.own_cpu_ns, UINT64_MAX);
	watched_time_deinit(&a);
	watched_time_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_that_touch_or_overlap_are_one_in_any_order),
		cmocka_unit_test(others_stay_apart_in_order),
		cmocka_unit_test(gaps_are_between_them_or_in_what_was_asked_for),
		cmocka_unit_test(of_too_many_the_nearest_become_one),
		cmocka_unit_test(costs_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
