#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/model/profile_filter.h"

#define N_METRICS 3
#define N_NODES   100

/* Node i has a sample of weight 10 * i + metric in each metric. */
static int setup(void **state)
{
	struct profile *profile = profile_create();
	uint32_t node = CCT_ROOT;

	assert_non_null(profile);
	profile_add_metric(profile, "cycles", "events");
	profile_add_metric(profile, "page-faults", "events");
	profile_add_metric(profile, "read-bytes", "bytes");
	profile->cct = cct_create(N_METRICS);
	for (uint32_t i = 1; i <= N_NODES; i++) {
		struct frame frame = { .kind = FRAME_USER, .offset = i };

		node = cct_child(profile->cct, node, &frame);
		assert_int_equal(node, i);
		for (uint32_t metric = 0; metric < N_METRICS; metric++) {
			uint64_t weight = 10ul * i + metric;

			cct_add_cost(profile->cct, node, metric, weight);
			profile->metrics[metric].samples++;
			profile->metrics[metric].total += weight;
		}
	}
	*state = profile;
	return 0;
}

static int teardown(void **state)
{
	profile_destroy(*state);
	return 0;
}

static void costs_of_other_metrics_leave_the_tree(void **state)
{
	static const char *const names[] = { "read-bytes", "cycles" };
	struct profile *profile = *state;

	assert_int_equal(profile_keep_metrics(profile, names, 2), 0);
	assert_int_equal(profile->n_metrics, 2);
	assert_string_equal(profile->metrics[0].name, "cycles");
	assert_string_equal(profile->metrics[1].name, "read-bytes");
	assert_int_equal(profile->cct->n_metrics, 2);
	for (uint32_t i = 1; i <= N_NODES; i++) {
		assert_int_equal(cct_cost(profile->cct, i, 0)->weight, 10 * i);
		assert_int_equal(cct_cost(profile->cct, i, 1)->weight, 10 * i + 2);
	}
	assert_int_equal(profile_check_conservation(profile), -1);
}

static void longest_waits_follow_their_metric(void **state)
{
	static const char *const later[] = { "page-faults", "read-bytes" }, *const last[] = {
		"read-bytes"
	};
	struct profile *profile = *state;

	assert_int_equal(cct_keep_longest(profile->cct, 1), 0);
	cct_add_cost(profile->cct, 7, 1, 1234);
	profile->metrics[1].samples++;
	profile->metrics[1].total += 1234;
	assert_int_equal(profile_keep_metrics(profile, later, 2), 0);
	assert_int_equal(profile->cct->longest_metric, 0);
	assert_int_equal(profile->cct->longest[7], 1234);
	assert_int_equal(profile_keep_metrics(profile, last, 1), 0);
	assert_null(profile->cct->longest);
	assert_int_equal(profile->cct->longest_metric, CCT_NONE);
	assert_int_equal(profile_check_conservation(profile), -1);
}

static void a_filtered_tree_can_grow(void **state)
{
	static const char *const names[] = { "page-faults" };
	struct profile *profile = *state;

	assert_int_equal(profile_keep_metrics(profile, names, 1), 0);
	for (uint32_t i = 0; i < 5000; i++) {
		struct frame frame = { .kind = FRAME_USER, .module = 1, .offset = i };
		uint32_t node = cct_child(profile->cct, CCT_ROOT, &frame);

		assert_int_not_equal(node, CCT_NONE);
		cct_add_cost(profile->cct, node, 0, 1);
	}
	profile->metrics[0].samples += 5000;
	profile->metrics[0].total += 5000;
	assert_int_equal(profile_check_conservation(profile), -1);
}

/* Gives the profile a row for each of its samples, on CPU 0; those of node 60 are guessed. */
static void add_rows(struct profile *profile)
{
	profile->rows = calloc(1, sizeof(*profile->rows));
	assert_non_null(profile->rows);
	for (uint16_t metric = 0; metric < N_METRICS; metric++) {
		for (uint32_t node = 1; node <= N_NODES; node++) {
			const struct sample_row row = {
				.weight = 10ul * node + metric,
				.node = node,
				.metric = metric,
				.marks = node == 60 ? 1u << PATH_GUESSED : 0,
			};

			assert_int_equal(sample_rows_add(profile->rows, &row), 0);
		}
	}
}

static void samples_that_are_left_out_leave_the_tree_and_the_totals(void **state)
{
	struct profile *profile = *state;
	bool is_kept[N_METRICS * N_NODES] = { [4] = true, [N_NODES + 59] = true };

	add_rows(profile);
	profile->cct->nodes[3].frame_marks = 1u << PATH_GUESSED | 1u << PATH_STITCHED;
	profile->quality.counts[QUALITY_SAMPLES] = N_METRICS * N_NODES;
	profile->quality.counts[QUALITY_COMPLETE] = N_METRICS * N_NODES;
	assert_int_equal(profile_keep_rows(profile, is_kept), 0);
	assert_int_equal(profile->cct->n_nodes, 61);
	assert_int_equal(profile->metrics[0].samples, 1);
	assert_int_equal(profile->metrics[0].total, 50);
	assert_int_equal(profile->metrics[1].total, 601);
	assert_int_equal(profile->metrics[2].samples, 0);
	assert_int_equal(cct_cost(profile->cct, 60, 1)->weight, 601);
	assert_int_equal(path_marks_of(&profile->cct->marks, 60)[PATH_GUESSED], 1);
	assert_int_equal(profile->cct->nodes[3].frame_marks, 1u << PATH_GUESSED);
	assert_int_equal(quality_n_used(&profile->quality), 2);
	assert_int_equal(profile->quality.counts[QUALITY_COMPLETE], 2);
	assert_int_equal(profile->quality.counts[QUALITY_GUESSED], 1);
	assert_int_equal(profile->rows->n_rows, 2);
	assert_int_equal(sample_rows_check(profile->rows, profile->cct), 0);
	assert_int_equal(profile_check_conservation(profile), -1);
}

static void weights_are_scaled_after_samples_were_left_out(void **state)
{
	struct profile *profile = *state;
	bool is_kept[N_METRICS * N_NODES] = { [4] = true, [5] = true };

	add_rows(profile);
	profile->metrics[0].time_enabled_ns = 300;
	profile->metrics[0].time_running_ns = 100;
	profile_scale(profile);
	assert_int_equal(profile_keep_rows(profile, is_kept), 0);
	assert_true(profile->metrics[0].is_scaled);
	assert_int_equal(profile->metrics[0].total, 330);
	assert_int_equal(profile_check_conservation(profile), -1);
}

/* Two runs; the first one's metric 0 had a counter for a third of the time. */
static void add_runs(struct profile *profile)
{
	struct sample_rows *rows = profile->rows;

	rows->n_runs = 2;
	rows->runs = calloc(2, sizeof(*rows->runs));
	assert_non_null(rows->runs);
	for (uint32_t run = 0; run < 2; run++) {
		rows->runs[run].times = calloc(N_METRICS, sizeof(*rows->runs[run].times));
		assert_non_null(rows->runs[run].times);
	}
	rows->runs[0].times[0] = (struct run_times){ 300, 100 };
	for (uint32_t i = N_NODES; i < rows->n_rows; i++)
		rows->rows[i].run = 1;
	rows->rows[N_NODES + 4].metric = 0;
	rows->rows[N_NODES + 5].metric = 0;
}

static void each_run_is_scaled_by_its_times(void **state)
{
	struct profile *profile = *state;
	bool is_kept[N_METRICS * N_NODES] = { [4] = true,
					      [N_NODES + 4] = true,
					      [N_NODES + 5] = true };

	add_rows(profile);
	add_runs(profile);
	profile->metrics[0].time_enabled_ns = 600;
	profile->metrics[0].time_running_ns = 400;
	assert_int_equal(profile_keep_rows(profile, is_kept), 0);
	assert_true(profile->metrics[0].is_scaled);
	assert_int_equal(profile->metrics[0].samples, 3);
	assert_int_equal(profile->metrics[0].total, 3 * 50 + 51 + 61);
	assert_int_equal(profile_check_conservation(profile), -1);
}

/* Row i of the first run is at node i + 1; the second run has all others. */
static void one_run_after_the_other_can_be_counted(void **state)
{
	struct profile *profile = *state;
	struct sample_rows *rows;
	uint64_t total = 0;

	add_rows(profile);
	add_runs(profile);
	rows = profile->rows;
	rows->runs[0].start_ns = 100;
	rows->runs[0].end_ns = 200;
	for (uint32_t i = 0; i < N_NODES; i++)
		total += rows->rows[i].weight;
	for (int round = 0; round < 2; round++) {
		assert_int_equal(profile_count_run(profile, 0), 0);
		assert_int_equal(profile->metrics[0].samples, N_NODES);
		assert_int_equal(profile->metrics[0].total, 3 * total);
		assert_int_equal(profile->metrics[1].samples, 0);
		assert_int_equal(profile->info.start_ns, 100);
		assert_int_equal(profile->info.end_ns, 200);
		assert_int_equal(cct_cost(profile->cct, 7, 0)->weight, 3 * 70);
		assert_int_equal(profile->cct->squares[(size_t)7 * N_METRICS], 70 * 70);
		assert_int_equal(profile->quality.counts[QUALITY_GUESSED], 1);
		assert_int_equal(profile_check_conservation(profile), -1);

		assert_int_equal(profile_count_run(profile, 1), 0);
		assert_int_equal(profile->metrics[0].samples, 2);
		assert_int_equal(profile->metrics[0].total, 51 + 61);
		assert_int_equal(profile->metrics[1].samples, N_NODES - 2);
		assert_int_equal(profile->metrics[2].samples, N_NODES);
		assert_false(profile->metrics[0].is_scaled);
		assert_int_equal(cct_cost(profile->cct, 7, 0)->weight, 0);
		assert_int_equal(cct_cost(profile->cct, 7, 2)->weight, 72);
		assert_int_equal(profile->quality.counts[QUALITY_GUESSED], 2);
		assert_int_equal(profile_check_conservation(profile), -1);
	}
	assert_int_equal(rows->n_rows, N_METRICS * N_NODES);
}

static void rows_of_other_metrics_leave_with_them(void **state)
{
	static const char *const names[] = { "read-bytes", "cycles" };
	struct profile *profile = *state;

	add_rows(profile);
	assert_int_equal(profile_keep_metrics(profile, names, 2), 0);
	assert_int_equal(profile->rows->n_rows, 2 * N_NODES);
	assert_int_equal(profile->rows->rows[N_NODES].metric, 1);
	assert_int_equal(profile->rows->rows[N_NODES].weight, 12);
	assert_int_equal(sample_rows_check(profile->rows, profile->cct), 0);
}

static void without_a_name_of_a_metric_all_stay(void **state)
{
	static const char *const unknown[] = { "instructions" };
	struct profile *profile = *state;

	assert_int_equal(profile_keep_metrics(profile, NULL, 0), 0);
	assert_int_equal(profile_keep_metrics(profile, unknown, 1), 0);
	assert_int_equal(profile->n_metrics, N_METRICS);
	assert_int_equal(profile_check_conservation(profile), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(costs_of_other_metrics_leave_the_tree, setup,
						teardown),
		cmocka_unit_test_setup_teardown(longest_waits_follow_their_metric, setup, teardown),
		cmocka_unit_test_setup_teardown(a_filtered_tree_can_grow, setup, teardown),
		cmocka_unit_test_setup_teardown(
			samples_that_are_left_out_leave_the_tree_and_the_totals, setup, teardown),
		cmocka_unit_test_setup_teardown(weights_are_scaled_after_samples_were_left_out,
						setup, teardown),
		cmocka_unit_test_setup_teardown(each_run_is_scaled_by_its_times, setup, teardown),
		cmocka_unit_test_setup_teardown(one_run_after_the_other_can_be_counted, setup,
						teardown),
		cmocka_unit_test_setup_teardown(rows_of_other_metrics_leave_with_them, setup,
						teardown),
		cmocka_unit_test_setup_teardown(without_a_name_of_a_metric_all_stay, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
