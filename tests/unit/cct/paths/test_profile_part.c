#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/paths/profile_part.h"

/* Two processes, of which the first has two threads. A thread moves to another cgroup. */
static struct profile *make_profile(void)
{
	static const struct {
		uint32_t process, thread, code, cgroup;
		uint64_t weight;
	} samples[] = {
		{ 0, 0, 0x10, 1, 1 }, { 0, 1, 0x10, 1, 2 },  { 0, 1, 0x20, 2, 4 },
		{ 1, 2, 0x10, 2, 8 }, { 1, 2, 0x10, 1, 16 }, { 1, 2, 0x30, 0, 32 },
	};
	struct profile *profile = profile_create();
	uint32_t id;
	bool is_new;

	profile_add_metric(profile, "cycles", "cycles");
	profile_add_thread(profile, 10, profile_add_process(profile, 10, "a"), "a");
	profile_add_thread(profile, 11, 0, "worker");
	profile_add_thread(profile, 20, profile_add_process(profile, 20, "b"), "main");
	string_ids_add(&profile->cgroups, "/one", &id, &is_new);
	string_ids_add(&profile->cgroups, "/two", &id, &is_new);
	profile->cct = cct_create(1);
	profile->rows = calloc(1, sizeof(*profile->rows));
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct frame path[] = {
			{ .kind = FRAME_PROCESS, .offset = samples[i].process },
			{ .kind = FRAME_THREAD, .offset = samples[i].thread },
			{ .kind = FRAME_USER, .offset = samples[i].code },
		};
		const struct sample_row row = {
			.node = cct_insert_path(profile->cct, CCT_ROOT, path, 3),
			.weight = samples[i].weight,
			.cgroup = samples[i].cgroup,
		};

		sample_row_count(&row, profile->cct, &profile->quality);
		sample_rows_add(profile->rows, &row);
		profile->metrics[0].samples++;
		profile->metrics[0].total += row.weight;
	}
	return profile;
}

static void a_part_has_the_samples_of_its_tasks_alone(void **state)
{
	static const struct {
		struct task_choice choice;
		uint64_t samples, total;
	} cases[] = {
		{ { .process = "a", .pid = 10 }, 3, 7 },
		{ { .process = "b", .pid = 20 }, 3, 56 },
		{ { .process = "a", .pid = 10, .thread = "worker", .tid = 11 }, 2, 6 },
		{ { .process = "b", .pid = 20, .thread = "main", .tid = 20 }, 3, 56 },
		{ { .cgroup = "/one" }, 3, 19 },
		{ { .cgroup = "[unknown cgroup]" }, 1, 32 },
		{ { .cgroup = "/two", .process = "a", .pid = 10 }, 1, 4 },
		{ { .cgroup = NULL }, 6, 63 },
	};

	(void)state;
	struct profile *profile = make_profile();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *part;

		assert_int_equal(profile_part_create(profile, &cases[i].choice, &part), 0);
		assert_int_equal(part->metrics[0].samples, cases[i].samples);
		assert_int_equal(part->metrics[0].total, cases[i].total);
		assert_int_equal(part->rows->n_rows, cases[i].samples);
		assert_int_equal(sample_rows_check(part->rows, part->cct), 0);
		profile_part_destroy(part);
		assert_int_equal(profile->metrics[0].total, 63);
		assert_int_equal(sample_rows_check(profile->rows, profile->cct), 0);
	}
	profile_destroy(profile);
}

static void a_part_without_samples_is_none(void **state)
{
	static const struct task_choice cases[] = {
		{ .process = "a", .pid = 20 },
		{ .process = "b", .pid = 20, .thread = "worker", .tid = 11 },
		{ .process = "b", .pid = 20, .cgroup = "/three", .thread = "worker", .tid = 20 },
	};

	(void)state;
	struct profile *profile = make_profile();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *part = NULL;

		assert_int_equal(profile_part_create(profile, &cases[i], &part), -ENOENT);
		assert_null(part);
	}
	profile_destroy(profile);
}

static void choices_are_equal_by_what_they_name(void **state)
{
	const struct task_choice a = { .process = "a", .pid = 1 }, b = { .process = "a", .pid = 2 };
	const struct task_choice none = { .pid = 1 }, other = { .tid = 3 };

	(void)state;
	assert_false(task_choice_equal(&a, &b));
	assert_true(task_choice_equal(&a, &a));
	assert_true(task_choice_equal(&none, &other));
	assert_true(task_choice_is_all(&none));
	assert_false(task_choice_is_all(&a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_has_the_samples_of_its_tasks_alone),
		cmocka_unit_test(a_part_without_samples_is_none),
		cmocka_unit_test(choices_are_equal_by_what_they_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
