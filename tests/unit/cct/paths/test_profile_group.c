#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/paths/profile_group.h"

#define N_PROCESSES 2
#define N_SAMPLES   6

/* Two processes have the paths main>f and main>g; each ends in samples on some CPUs. */
static uint32_t add_path(struct cct *cct, uint64_t process, uint64_t function)
{
	const struct frame path[] = {
		{ .kind = FRAME_PROCESS, .offset = process },
		{ .kind = FRAME_USER, .offset = 1 },
		{ .kind = FRAME_USER, .offset = function },
	};

	return cct_insert_path(cct, CCT_ROOT, path, sizeof(path) / sizeof(path[0]));
}

static void add_sample(struct profile *profile, uint32_t node, uint32_t cpu, uint64_t weight)
{
	const struct sample_row row = {
		.node = node,
		.cpu = cpu,
		.weight = weight,
		.marks = (uint8_t)profile->cct->nodes[node].frame_marks,
	};

	assert_int_equal(sample_rows_add(profile->rows, &row), 0);
	cct_add_cost(profile->cct, node, 0, weight);
	profile->metrics[0].samples++;
	profile->metrics[0].total += weight;
}

static int setup(void **state)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	profile_add_metric(profile, "cycles", "events");
	profile->cct = cct_create(1);
	profile->rows = calloc(1, sizeof(*profile->rows));
	assert_non_null(profile->rows);
	for (uint64_t process = 0; process < N_PROCESSES; process++) {
		const uint32_t f = add_path(profile->cct, process, 2);
		const uint32_t g = add_path(profile->cct, process, 3);

		profile->cct->nodes[g].frame_marks = 1u << PATH_GUESSED;
		add_sample(profile, f, 0, 1);
		add_sample(profile, f, 7, 10);
		add_sample(profile, g, UINT32_MAX, 100);
	}
	*state = profile;
	return 0;
}

static int teardown(void **state)
{
	profile_destroy(*state);
	return 0;
}

static uint32_t child(const struct cct *cct, uint32_t parent, enum frame_kind kind, uint64_t offset)
{
	const struct frame frame = { .kind = (uint16_t)kind, .offset = offset };

	for (uint32_t i = cct->nodes[parent].first_child; i != CCT_NONE;
	     i = cct->nodes[i].next_sibling) {
		if (frame_equal(cct_frame(cct, i), &frame))
			return i;
	}
	return CCT_NONE;
}

static bool is_below(const struct cct *cct, uint32_t node, uint32_t above)
{
	while (node > above)
		node = cct->nodes[node].parent;
	return node == above;
}

/* The cost of main>@function on a CPU. */
static struct cct_cost cost_on(const struct cct *cct, uint64_t cpu, uint64_t function)
{
	uint32_t node = child(cct, CCT_ROOT, FRAME_CPU, cpu);

	assert_int_not_equal(node, CCT_NONE);
	node = child(cct, node, FRAME_USER, 1);
	assert_int_not_equal(node, CCT_NONE);
	node = child(cct, node, FRAME_USER, function);
	assert_int_not_equal(node, CCT_NONE);
	return *cct_cost(cct, node, 0);
}

static void a_cpu_has_the_paths_of_all_processes_below_it(void **state)
{
	struct profile *profile = *state;

	assert_int_equal(profile_group(profile, GROUPED_BY_CPU), 0);
	assert_int_equal(cost_on(profile->cct, 0, 2).samples, N_PROCESSES);
	assert_int_equal(cost_on(profile->cct, 0, 2).weight, 2);
	assert_int_equal(cost_on(profile->cct, 7, 2).weight, 20);
	assert_int_equal(cost_on(profile->cct, UINT32_MAX, 3).weight, 200);
	/* The root, and three CPUs with two functions each. */
	assert_int_equal(profile->cct->n_nodes, 1 + 3 * 3);
	assert_int_equal(sample_rows_check(profile->rows, profile->cct), 0);
}

static void processes_are_below_their_cpus_on_request(void **state)
{
	struct profile *profile = *state;
	const struct cct *cct;

	assert_int_equal(profile_group(profile, GROUPED_BY_CPU_AND_TASK), 0);
	cct = profile->cct;
	for (uint64_t process = 0; process < N_PROCESSES; process++) {
		uint32_t node = child(cct, CCT_ROOT, FRAME_CPU, 7);

		node = child(cct, node, FRAME_PROCESS, process);
		node = child(cct, child(cct, node, FRAME_USER, 1), FRAME_USER, 2);
		assert_int_equal(cct_cost(cct, node, 0)->weight, 10);
	}
	assert_int_equal(cct->n_nodes, 1 + 3 + 3 * 3 * N_PROCESSES);
	assert_int_equal(profile_check_conservation(profile), -1);
	assert_int_equal(sample_rows_check(profile->rows, cct), 0);
}

static void groups_have_the_cost_and_the_marks_of_the_whole(void **state)
{
	struct profile *profile = *state;

	assert_int_equal(profile_group(profile, GROUPED_BY_CPU), 0);
	assert_int_equal(profile->metrics[0].samples, N_SAMPLES);
	assert_int_equal(profile->metrics[0].total, 222);
	assert_int_equal(profile_check_conservation(profile), -1);
	uint32_t node = child(profile->cct, CCT_ROOT, FRAME_CPU, UINT32_MAX);
	node = child(profile->cct, child(profile->cct, node, FRAME_USER, 1), FRAME_USER, 3);
	assert_int_equal(profile->cct->nodes[node].frame_marks, 1u << PATH_GUESSED);
}

static void weights_are_scaled_once(void **state)
{
	struct profile *profile = *state;
	struct metric *metric = &profile->metrics[0];

	metric->time_enabled_ns = 300;
	metric->time_running_ns = 100;
	profile_scale(profile);
	assert_int_equal(metric->total, 666);
	assert_int_equal(profile_group(profile, GROUPED_BY_CPU), 0);
	assert_int_equal(metric->total, 666);
	assert_int_equal(cost_on(profile->cct, 7, 2).weight, 60);
}

static uint64_t samples_in(const struct cct *cct, enum frame_kind kind, uint64_t offset)
{
	const uint32_t group = child(cct, CCT_ROOT, kind, offset);
	uint64_t n = 0;

	assert_int_not_equal(group, CCT_NONE);
	for (uint32_t node = group; node < cct->n_nodes; node++) {
		if (is_below(cct, node, group))
			n += cct_cost(cct, node, 0)->samples;
	}
	return n;
}

/* The samples' times are 0, 10, 20, ... us. */
static void a_phase_has_the_samples_between_its_marks(void **state)
{
	struct profile *profile = *state;

	profile->info.start_ns = 1000;
	for (uint32_t i = 0; i < profile->rows->n_rows; i++)
		profile->rows->rows[i].time = 10ull * i;
	assert_int_equal(phases_mark(&profile->phases, "run", 1000 + 10000), 0);
	assert_int_equal(phases_mark(&profile->phases, "run", 1000 + 25000), 0);
	assert_int_equal(phases_mark(&profile->phases, "", 1000 + 40000), 0);
	assert_int_equal(profile_group(profile, GROUPED_BY_PHASE), 0);
	const uint64_t groups[] = { FRAME_PHASE_BEFORE, 0, 1, FRAME_PHASE_BETWEEN };
	const uint64_t samples[] = { 1, 2, 1, 2 };
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(samples_in(profile->cct, FRAME_PHASE, groups[i]), samples[i]);
}

/* Process 1 loads a file between samples 3 and 4, which are its second and third. */
static void an_epoch_has_the_samples_of_its_process(void **state)
{
	struct profile *profile = *state;
	const struct epoch epochs[] = { { .first_ns = 1000, .loaded_ns = 1000 },
					{ .first_ns = 41000, .loaded_ns = 35000 } };
	const uint64_t groups[] = { frame_epoch_offset(0, 0), frame_epoch_offset(1, 0),
				    frame_epoch_offset(1, 1) };
	const uint64_t samples[] = { 3, 1, 2 };

	profile->info.start_ns = 1000;
	for (uint32_t i = 0; i < N_PROCESSES; i++) {
		const struct row_task task = { .thread = i };
		uint32_t index;

		assert_int_equal(profile_add_process(profile, (int32_t)i, "p"), i);
		assert_int_equal(profile_add_thread(profile, (int32_t)i, i, "p"), i);
		assert_int_equal(sample_rows_enter_task(profile->rows, &task, "p", "p", &index), 0);
	}
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(epochs_begin(&profile->epochs, &profile->processes[1].epochs,
					      &epochs[i], ""),
				 0);
	for (uint32_t i = 0; i < profile->rows->n_rows; i++) {
		profile->rows->rows[i].time = 10ull * i;
		profile->rows->rows[i].task = i / (N_SAMPLES / N_PROCESSES);
	}
	assert_int_equal(profile_group(profile, GROUPED_BY_EPOCH), 0);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		assert_int_equal(samples_in(profile->cct, FRAME_EPOCH, groups[i]), samples[i]);
}

static void a_sample_without_frames_is_its_cpu(void **state)
{
	struct profile *profile = *state;
	const uint32_t process = child(profile->cct, CCT_ROOT, FRAME_PROCESS, 1);

	add_sample(profile, process, 3, 1000);
	assert_int_equal(profile_group(profile, GROUPED_BY_CPU), 0);
	const uint32_t cpu = child(profile->cct, CCT_ROOT, FRAME_CPU, 3);
	assert_int_equal(cct_cost(profile->cct, cpu, 0)->weight, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_cpu_has_the_paths_of_all_processes_below_it,
						setup, teardown),
		cmocka_unit_test_setup_teardown(processes_are_below_their_cpus_on_request, setup,
						teardown),
		cmocka_unit_test_setup_teardown(groups_have_the_cost_and_the_marks_of_the_whole,
						setup, teardown),
		cmocka_unit_test_setup_teardown(weights_are_scaled_once, setup, teardown),
		cmocka_unit_test_setup_teardown(a_phase_has_the_samples_between_its_marks, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_epoch_has_the_samples_of_its_process, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_sample_without_frames_is_its_cpu, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
