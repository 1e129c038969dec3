/* Between which times samples were lost and events throttled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/replay/loss_times.h"

struct fixture {
	struct loss_times times;
	struct losses losses;
};

static struct record record_of(uint64_t time_ns, uint32_t cpu)
{
	return (struct record){ .has_time = true,
				.has_cpu = true,
				.has_tid = true,
				.cpu = cpu,
				.tid = 70,
				.time_ns = time_ns };
}

static void see_sample(struct fixture *fixture, uint64_t time_ns, uint32_t cpu)
{
	struct record record = record_of(time_ns, cpu);

	assert_int_equal(loss_times_see_sample(&fixture->times, &record), 0);
}

static void lose(struct fixture *fixture, uint64_t time_ns, uint32_t cpu, uint64_t n)
{
	struct record record = record_of(time_ns, cpu);

	record.lost.lost = n;
	assert_int_equal(loss_times_lose(&fixture->times, &record), 0);
}

static struct record throttle_record(uint64_t time_ns, uint64_t id, uint64_t stream_id)
{
	struct record record = record_of(time_ns, 2);

	record.throttle.time_ns = time_ns;
	record.throttle.id = id;
	record.throttle.stream_id = stream_id;
	return record;
}

static void throttle(struct fixture *fixture, uint64_t time_ns, uint64_t id, uint64_t stream_id)
{
	struct record record = throttle_record(time_ns, id, stream_id);

	assert_int_equal(loss_times_throttle(&fixture->times, &record), 0);
}

static void unthrottle(struct fixture *fixture, uint64_t time_ns, uint64_t stream_id)
{
	struct record record = throttle_record(time_ns, stream_id, stream_id);

	assert_int_equal(loss_times_unthrottle(&fixture->times, &record), 0);
}

static void leave(struct fixture *fixture, uint64_t time_ns, int32_t tid)
{
	struct record record = record_of(time_ns, 2);

	record.task.tid = tid;
	record.task.time_ns = time_ns;
	assert_int_equal(loss_times_exit(&fixture->times, &record), 0);
}

static void expect(const struct fixture *fixture, size_t i, enum loss_kind kind, uint32_t cpu,
		   uint64_t start_ns, uint64_t end_ns, uint64_t n)
{
	const struct loss *loss = &fixture->losses.losses[i];

	assert_true(i < fixture->losses.n);
	assert_int_equal(loss->kind, kind);
	assert_int_equal(loss->cpu, cpu);
	assert_int_equal(loss->start_ns, start_ns);
	assert_int_equal(loss->end_ns, end_ns);
	assert_int_equal(loss->n, n);
}

static void samples_are_lost_since_the_last_one_of_the_cpu(void **state)
{
	struct fixture *fixture = *state;

	see_sample(fixture, 100, 3);
	see_sample(fixture, 150, 70);
	see_sample(fixture, 200, 3);
	lose(fixture, 300, 3, 12);
	lose(fixture, 400, 70, 5);
	lose(fixture, 500, 4, 1); /* without a sample before */
	assert_int_equal(loss_times_end(&fixture->times, 1000), 0);
	assert_int_equal(fixture->losses.n, 3);
	expect(fixture, 0, LOSS_OF_SAMPLES, 70, 150, 400, 5);
	expect(fixture, 1, LOSS_OF_SAMPLES, 3, 200, 300, 12);
	expect(fixture, 2, LOSS_OF_SAMPLES, 4, 500, 500, 1);
}

static void a_loss_without_time_or_number_has_no_place(void **state)
{
	struct fixture *fixture = *state;
	struct record record = { .lost.lost = 5 };

	assert_int_equal(loss_times_lose(&fixture->times, &record), 0);
	lose(fixture, 10, 1, 0);
	assert_int_equal(fixture->losses.n, 0);
	see_sample(fixture, 100, UINT32_MAX);
	lose(fixture, 200, UINT32_MAX, 1);
	expect(fixture, 0, LOSS_OF_SAMPLES, LOSS_NO_CPU, 200, 200, 1);
}

static void a_throttled_event_is_held_back_until_its_own_record(void **state)
{
	struct fixture *fixture = *state;

	throttle(fixture, 100, 7, 7);
	throttle(fixture, 110, 7, 8);
	unthrottle(fixture, 200, 8);
	unthrottle(fixture, 250, 9);
	unthrottle(fixture, 300, 7);
	throttle(fixture, 900, 7, 7);
	assert_int_equal(loss_times_end(&fixture->times, 1000), 0);
	assert_int_equal(fixture->losses.n, 3);
	expect(fixture, 0, LOSS_BY_THROTTLING, 2, 100, 300, 1);
	expect(fixture, 1, LOSS_BY_THROTTLING, 2, 110, 200, 1);
	expect(fixture, 2, LOSS_BY_THROTTLING, 2, 900, 1000, 1);
}

/* The counter that a thread has inherited goes with it; that of a CPU does not. */
static void a_counter_of_a_thread_ends_with_it(void **state)
{
	struct fixture *fixture = *state;

	throttle(fixture, 100, 7, 8);
	throttle(fixture, 110, 7, 7);
	leave(fixture, 150, 71);
	leave(fixture, 200, 70);
	assert_int_equal(loss_times_end(&fixture->times, 1000), 0);
	expect(fixture, 0, LOSS_BY_THROTTLING, 2, 100, 200, 1);
	expect(fixture, 1, LOSS_BY_THROTTLING, 2, 110, 1000, 1);
}

static void of_very_many_open_ones_each_is_counted(void **state)
{
	struct fixture *fixture = *state;
	uint64_t n = 0;

	for (uint64_t i = 0; i < 10000; i++)
		throttle(fixture, 100 + i, 7, 1000 + i);
	assert_int_equal(loss_times_end(&fixture->times, 50000), 0);
	for (size_t i = 0; i < fixture->losses.n; i++)
		n += fixture->losses.losses[i].n;
	assert_int_equal(n, 10000);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture)
		return -1;
	loss_times_init(&fixture->times, &fixture->losses);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	loss_times_deinit(&fixture->times);
	losses_deinit(&fixture->losses);
	free(fixture);
	return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_are_lost_since_the_last_one_of_the_cpu),
		TEST(a_loss_without_time_or_number_has_no_place),
		TEST(a_throttled_event_is_held_back_until_its_own_record),
		TEST(a_counter_of_a_thread_ends_with_it),
		TEST(of_very_many_open_ones_each_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
