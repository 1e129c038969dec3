#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/paths/path_iterator.h"

#define N_METRICS 2

static const struct frame kernel_mark = { .kind = FRAME_MARKER, .offset = MARKER_KERNEL };

static struct frame user(uint64_t offset)
{
	return (struct frame){ .kind = FRAME_USER, .module = 1, .offset = offset };
}

static int setup(void **state)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	profile_add_metric(profile, "cycles", "events");
	profile_add_metric(profile, "page-faults", "events");
	profile_add_process(profile, 10, "one");
	profile_add_process(profile, 20, "two");
	profile_add_thread(profile, 21, 1, "thread");
	profile->cct = cct_create(N_METRICS);
	assert_non_null(profile->cct);
	*state = profile;
	return 0;
}

static int teardown(void **state)
{
	profile_destroy(*state);
	return 0;
}

static void add(struct profile *profile, uint32_t parent, const struct frame *frames, size_t n,
		uint32_t metric, uint64_t weight)
{
	uint32_t node = cct_insert_path(profile->cct, parent, frames, n);

	assert_int_not_equal(node, CCT_NONE);
	cct_add_cost(profile->cct, node, metric, weight);
	profile->metrics[metric].samples++;
	profile->metrics[metric].total += weight;
}

static uint32_t process_node(struct profile *profile, uint32_t process)
{
	struct frame frame = { .kind = FRAME_PROCESS, .offset = process };

	return cct_child(profile->cct, CCT_ROOT, &frame);
}

static void a_path_has_its_frames_root_first_and_its_process(void **state)
{
	struct profile *profile = *state;
	const struct frame frames[] = { user(1), user(2), kernel_mark, { .kind = FRAME_KERNEL } };
	struct path_iterator iterator;
	struct profile_path path;

	add(profile, process_node(profile, 0), frames, 4, 1, 7);
	assert_int_equal(path_iterator_init(&iterator, profile), 0);
	assert_true(path_iterator_next(&iterator, &path));
	assert_int_equal(path.process->pid, 10);
	assert_null(path.thread);
	assert_int_equal(path.n_frames, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(frame_equal(&path.frames[i], &frames[i]));
	assert_true(path.is_complete);
	assert_int_equal(path.costs[0].samples, 0);
	assert_int_equal(path.costs[1].samples, 1);
	assert_int_equal(path.costs[1].weight, 7);
	assert_false(path_iterator_next(&iterator, &path));
	path_iterator_deinit(&iterator);
}

static void a_path_within_another_is_one_if_it_has_samples(void **state)
{
	struct profile *profile = *state;
	const struct frame frames[] = { user(1), user(2), user(3) };
	uint32_t process = process_node(profile, 0);
	struct path_iterator iterator;
	struct profile_path path;

	add(profile, process, frames, 3, 0, 5);
	add(profile, process, frames, 1, 0, 6);
	add(profile, process, frames, 1, 0, 0);
	assert_int_equal(path_iterator_init(&iterator, profile), 0);
	assert_true(path_iterator_next(&iterator, &path));
	assert_int_equal(path.n_frames, 1);
	assert_int_equal(path.costs[0].samples, 2);
	assert_int_equal(path.costs[0].weight, 6);
	assert_true(path_iterator_next(&iterator, &path));
	assert_int_equal(path.n_frames, 3);
	assert_false(path_iterator_next(&iterator, &path));
	path_iterator_deinit(&iterator);
}

static void paths_have_threads_and_marks_and_missing_callers(void **state)
{
	struct profile *profile = *state;
	struct frame thread = { .kind = FRAME_THREAD, .offset = 0 };
	const struct frame frames[] = { frame_marker(MARKER_STACK_CUT), user(1) };
	uint32_t parent = cct_child(profile->cct, process_node(profile, 1), &thread);
	struct path_iterator iterator;
	struct profile_path path;

	add(profile, parent, frames, 2, 0, 5);
	assert_int_equal(
		path_marks_add(&profile->cct->marks, profile->cct->n_nodes - 1, PATH_STITCHED, 1),
		0);
	assert_int_equal(path_iterator_init(&iterator, profile), 0);
	assert_true(path_iterator_next(&iterator, &path));
	assert_int_equal(path.process->pid, 20);
	assert_int_equal(path.thread->tid, 21);
	assert_false(path.is_complete);
	assert_int_equal(path.frames[0].offset, MARKER_STACK_CUT);
	assert_int_equal(path.marked[PATH_STITCHED], 1);
	assert_int_equal(path.marked[PATH_GUESSED], 0);
	path_iterator_deinit(&iterator);
}

static void costs_of_all_paths_add_up_to_the_totals(void **state)
{
	struct profile *profile = *state;
	struct cct_cost sums[N_METRICS] = { 0 };
	struct frame frames[100];
	struct path_iterator iterator;
	struct profile_path path;

	for (uint64_t i = 0; i < 5000; i++) {
		size_t depth = i * i % 100;

		for (size_t j = 0; j < depth; j++)
			frames[j] = user(i * j % 7);
		add(profile, process_node(profile, i % 2), frames, depth, i % 3 == 0, i);
	}
	assert_int_equal(path_iterator_init(&iterator, profile), 0);
	while (path_iterator_next(&iterator, &path)) {
		for (uint32_t metric = 0; metric < N_METRICS; metric++) {
			sums[metric].samples += path.costs[metric].samples;
			sums[metric].weight += path.costs[metric].weight;
		}
	}
	for (uint32_t metric = 0; metric < N_METRICS; metric++) {
		assert_int_equal(sums[metric].samples, profile->metrics[metric].samples);
		assert_int_equal(sums[metric].weight, profile->metrics[metric].total);
	}
	path_iterator_deinit(&iterator);
}

static void an_empty_profile_has_no_paths(void **state)
{
	struct path_iterator iterator;
	struct profile_path path;

	assert_int_equal(path_iterator_init(&iterator, *state), 0);
	assert_false(path_iterator_next(&iterator, &path));
	path_iterator_deinit(&iterator);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_path_has_its_frames_root_first_and_its_process),
		TEST(a_path_within_another_is_one_if_it_has_samples),
		TEST(paths_have_threads_and_marks_and_missing_callers),
		TEST(costs_of_all_paths_add_up_to_the_totals),
		TEST(an_empty_profile_has_no_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
