#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/paths/sample_list.h"
#include "tests/unit/fixtures/sample_profile.h"

struct fixture {
	struct profile *profile;
	uint32_t task;
	uint32_t nodes[2];
};

static uint32_t leaf(struct profile *profile, uint32_t process, uint64_t offset)
{
	const struct frame frame = { .kind = FRAME_USER, .module = 1, .offset = offset };

	return cct_child(profile->cct, sample_profile_process(profile, process), &frame);
}

static void set_up(struct fixture *fixture)
{
	struct profile *profile = sample_profile_create((const char *[]){ "a", "b" }, 2);
	const struct row_task task = { .pid = 10, .tid = 11 };

	profile_add_process(profile, 10, "one");
	profile_add_thread(profile, 11, 0, "thread");
	profile->rows = calloc(1, sizeof(*profile->rows));
	assert_int_equal(
		sample_rows_enter_task(profile->rows, &task, "thread", "one", &fixture->task), 0);
	fixture->profile = profile;
	fixture->nodes[0] = leaf(profile, 0, 0x10);
	fixture->nodes[1] = leaf(profile, 0, 0x20);
}

static void add(struct fixture *fixture, uint64_t time_us, uint32_t node, uint16_t metric,
		uint64_t weight)
{
	const struct sample_row row = { .time = time_us * 1000,
					.number = fixture->profile->rows->n_rows,
					.task = fixture->task,
					.node = node,
					.metric = metric,
					.cpu = 3,
					.weight = weight };

	assert_int_equal(sample_rows_add(fixture->profile->rows, &row), 0);
	sample_profile_add(fixture->profile, node, metric, weight);
}

static void rows_come_in_the_order_of_time_with_their_task(void **state)
{
	struct fixture fixture;
	struct sample_list list;

	(void)state;
	set_up(&fixture);
	add(&fixture, 30, fixture.nodes[0], 0, 5);
	add(&fixture, 10, fixture.nodes[1], 1, 6);
	add(&fixture, 20, CCT_ROOT, 0, 7); /* not selected */
	sample_rows_finish(fixture.profile->rows, 0);
	assert_int_equal(sample_list_init(&list, fixture.profile), 0);
	assert_int_equal(list.n, 2);
	const struct listed_sample first = sample_list_get(&list, 0);
	assert_int_equal(first.time_ns, 10000);
	assert_int_equal(first.node, fixture.nodes[1]);
	assert_int_equal(first.metric, 1);
	assert_int_equal(first.weight, 6);
	assert_int_equal(first.samples, 1);
	assert_int_equal(first.pid, 10);
	assert_int_equal(first.tid, 11);
	assert_int_equal(first.process, 0);
	assert_int_equal(first.thread, 0);
	assert_int_equal(first.cpu, 3);
	assert_string_equal(first.thread_name, "thread");
	assert_int_equal(sample_list_get(&list, 1).time_ns, 30000);
	sample_list_deinit(&list);
	profile_destroy(fixture.profile);
}

static void groups_have_their_samples_in_the_order_of_time(void **state)
{
	const uint64_t wanted[] = { 10, 20, 20, 5 }; /* weights */
	uint32_t group_of[8];
	struct fixture fixture;
	struct sample_list list;

	(void)state;
	set_up(&fixture);
	add(&fixture, 20, fixture.nodes[0], 0, 20);
	add(&fixture, 5, fixture.nodes[1], 0, 5);
	add(&fixture, 10, fixture.nodes[0], 0, 10);
	add(&fixture, 20, fixture.nodes[0], 0, 20);
	add(&fixture, 1, CCT_ROOT, 0, 7); /* not selected */
	sample_rows_finish(fixture.profile->rows, 0);
	assert_true(fixture.profile->cct->n_nodes <= 8);
	memset(group_of, 0xff, sizeof(group_of));
	group_of[fixture.nodes[0]] = 0;
	group_of[fixture.nodes[1]] = 2;
	assert_int_equal(sample_list_init_groups(&list, fixture.profile, group_of, 3), 0);
	assert_int_equal(list.n, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(sample_list_weight(&list, list.rows[i]), wanted[i]);
	assert_true(list.rows[1] < list.rows[2]);
	assert_int_equal(list.first[0], 0);
	assert_int_equal(list.first[1], 3);
	assert_int_equal(list.first[2], 3);
	assert_int_equal(list.first[3], 4);
	sample_list_deinit(&list);
	profile_destroy(fixture.profile);
}

static void without_rows_the_samples_of_a_path_are_one_entry(void **state)
{
	struct fixture fixture;
	struct sample_list list;

	(void)state;
	set_up(&fixture);
	add(&fixture, 1, fixture.nodes[0], 1, 5);
	add(&fixture, 2, fixture.nodes[0], 1, 6);
	add(&fixture, 2, CCT_ROOT, 0, 7);
	sample_rows_destroy(fixture.profile->rows);
	fixture.profile->rows = NULL;
	assert_int_equal(sample_list_init(&list, fixture.profile), 0);
	assert_int_equal(list.n, 1);
	const struct listed_sample only = sample_list_get(&list, 0);
	assert_int_equal(only.samples, 2);
	assert_int_equal(only.weight, 11);
	assert_int_equal(only.metric, 1);
	assert_int_equal(only.pid, 10);
	assert_int_equal(only.tid, 10);
	assert_int_equal(only.process, 0);
	assert_int_equal(only.thread, UINT32_MAX);
	assert_int_equal(only.cpu, UINT32_MAX);
	assert_string_equal(only.thread_name, "one");
	sample_list_deinit(&list);
	profile_destroy(fixture.profile);
}

/* Times that differ in some of their bytes alone, or not at all. */
static void times_of_all_sizes_are_sorted_and_equal_ones_keep_their_order(void **state)
{
	static const uint64_t times[] = { 0x1000000000, 0x7,   0x10000,      0x7, 0xff00,
					  0x1000000001, 0x100, 0x1000000000, 0,   0xff };
	const uint32_t n = sizeof(times) / sizeof(times[0]);
	struct fixture fixture;
	struct sample_list list;

	(void)state;
	set_up(&fixture);
	for (uint32_t i = 0; i < n; i++)
		add(&fixture, times[i], fixture.nodes[i % 2], 0, i + 1);
	sample_rows_finish(fixture.profile->rows, 0);
	assert_int_equal(sample_list_init(&list, fixture.profile), 0);
	assert_int_equal(list.n, n);
	for (uint32_t i = 1; i < n; i++) {
		const struct listed_sample last = sample_list_get(&list, i - 1);
		const struct listed_sample sample = sample_list_get(&list, i);

		assert_true(last.time_ns <= sample.time_ns);
		if (last.time_ns == sample.time_ns)
			assert_true(list.rows[i - 1] < list.rows[i]);
	}
	sample_list_deinit(&list);
	profile_destroy(fixture.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_in_the_order_of_time_with_their_task),
		cmocka_unit_test(groups_have_their_samples_in_the_order_of_time),
		cmocka_unit_test(times_of_all_sizes_are_sorted_and_equal_ones_keep_their_order),
		cmocka_unit_test(without_rows_the_samples_of_a_path_are_one_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
