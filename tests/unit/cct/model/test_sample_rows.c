/* Rows of samples: their tasks, their order, and what they count. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/model/sample_rows.h"

static uint32_t enter(struct sample_rows *rows, uint32_t thread, int32_t tid, const char *name)
{
	const struct row_task task = { .thread = thread, .pid = 7, .tid = tid };
	uint32_t index;

	assert_int_equal(sample_rows_enter_task(rows, &task, name, "process", &index), 0);
	return index;
}

static void a_thread_is_another_task_once_its_name_changes(void **state)
{
	struct sample_rows rows = { .n_rows = 0 };

	(void)state;
	assert_int_equal(enter(&rows, 2, 9, "main"), 0);
	assert_int_equal(enter(&rows, 0, 7, "main"), 1);
	assert_int_equal(enter(&rows, 2, 9, "main"), 0);
	assert_int_equal(enter(&rows, 2, 9, "worker"), 2);
	assert_int_equal(enter(&rows, 2, 9, "worker"), 2);
	assert_int_equal(enter(&rows, 0, 7, "main"), 1);
	assert_int_equal(enter(&rows, 0, 8, "main"), 3);
	assert_int_equal(rows.n_tasks, 4);
	assert_int_equal(rows.tasks[2].thread, 2);
	assert_string_equal(rows.names.strings[rows.tasks[2].thread_name], "worker");
	assert_string_equal(rows.names.strings[rows.tasks[2].process_name], "process");
	sample_rows_deinit(&rows);
}

static void add(struct sample_rows *rows, uint32_t number, uint16_t metric, uint32_t cpu,
		uint64_t time)
{
	const struct sample_row row = { .number = number,
					.weight = number,
					.metric = metric,
					.cpu = cpu,
					.time = time,
					.node = 1 };

	assert_int_equal(sample_rows_add(rows, &row), 0);
}

static void rows_of_all_workers_are_sorted_by_metric_and_cpu_and_place(void **state)
{
	static const uint32_t numbers[] = { 1, 4, 0, 3, 2 };
	static const uint64_t times[] = { 2, 0, 1, 4, 3 };
	struct sample_rows rows = { .n_rows = 0 }, first = { .n_rows = 0 }, other = { .n_rows = 0 };

	(void)state;
	add(&first, 0, 0, 3, 11000);
	add(&first, 2, 1, 0, 13999);
	add(&first, 4, 0, 1, 0); /* without a time */
	add(&other, 3, 0, 3, 14000);
	add(&other, 1, 0, 1, 12500);
	sample_rows_take(&rows, &first);
	assert_int_equal(first.n_rows, 0);
	assert_int_equal(sample_rows_add_all(&rows, &other, (uint32_t[]){ 0, 5 }), 0);
	sample_rows_finish(&rows, 10000);
	assert_int_equal(rows.n_rows, 5);
	for (uint32_t i = 0; i < rows.n_rows; i++) {
		assert_int_equal(rows.rows[i].weight, numbers[i]);
		assert_int_equal(rows.rows[i].time, times[i]);
		assert_int_equal(rows.rows[i].node, numbers[i] == 1 || numbers[i] == 3 ? 5 : 1);
	}
	sample_rows_deinit(&rows);
	sample_rows_deinit(&first);
	sample_rows_deinit(&other);
}

static void a_sample_counts_in_its_node_and_in_quality_until_all_are_taken_out(void **state)
{
	const struct frame frame = { .kind = FRAME_USER, .offset = 1 };
	struct cct *cct = cct_create(2);
	uint32_t node = cct_child(cct, CCT_ROOT, &frame);
	struct profile_quality quality = { .counts = { [QUALITY_LOST] = 3 } };
	struct sample_row row = { .weight = 5, .node = node, .metric = 1, .n_guessed = 2 };

	(void)state;
	assert_int_equal(cct_keep_longest(cct, 1), 0);
	row.marks = 1u << PATH_GUESSED;
	assert_int_equal(sample_row_count(&row, cct, &quality), 0);
	row.end = ROW_INCOMPLETE + MARKER_STACK_CUT;
	assert_int_equal(sample_row_count(&row, cct, &quality), 0);
	row.end = ROW_JOINED;
	row.marks = 1u << PATH_JOINED;
	row.n_guessed = 0;
	assert_int_equal(sample_row_count(&row, cct, &quality), 0);
	assert_int_equal(cct_cost(cct, node, 1)->weight, 15);
	assert_int_equal(path_marks_of(&cct->marks, node)[PATH_GUESSED], 2);
	assert_int_equal(quality.counts[QUALITY_COMPLETE], 1);
	assert_int_equal(quality.incomplete[MARKER_STACK_CUT], 1);
	assert_int_equal(quality.counts[QUALITY_JOINED], 1);
	assert_int_equal(quality.counts[QUALITY_GUESSED], 2);
	assert_int_equal(quality.counts[QUALITY_GUESSED_FRAMES], 4);

	sample_rows_uncount(cct, &quality);
	assert_int_equal(cct_sum(cct, 1).samples, 0);
	assert_int_equal(cct->longest[node], 0);
	assert_int_equal(path_marks_of(&cct->marks, node)[PATH_GUESSED], 0);
	for (int i = 0; i < N_QUALITY_COUNTERS; i++)
		assert_int_equal(quality.counts[i], i == QUALITY_LOST ? 3 : 0);
	assert_int_equal(quality.incomplete[MARKER_STACK_CUT], 0);
	cct_destroy(cct);
}

static void a_sum_of_more_samples_than_32_bits_count_has_as_many_marked(void **state)
{
	const struct frame frame = { .kind = FRAME_USER, .offset = 1 };
	const uint64_t n = (1ull << 32) + 7;
	struct cct *cct = cct_create(1);
	struct sample_row row = { .weight = n, .node = cct_child(cct, CCT_ROOT, &frame) };
	struct row_sum sum = { .squares = n, .samples = n, .longest = 1 };
	const struct sample_rows rows = { .rows = &row, .sums = &sum, .n_rows = 1 };
	struct profile_quality quality = { .counts = { 0 } };

	(void)state;
	row.marks = 1u << PATH_GUESSED;
	assert_int_equal(sample_rows_count(&rows, 0, cct, &quality), 0);
	assert_int_equal(sample_rows_count(&rows, 0, cct, &quality), 0);
	assert_true(path_marks_of(&cct->marks, row.node)[PATH_GUESSED] == 2 * n);
	assert_true(quality.counts[QUALITY_GUESSED] == 2 * n);
	assert_true(cct_cost(cct, row.node, 0)->samples == 2 * n);
	cct_destroy(cct);
}

static void rows_are_those_of_a_tree_or_are_not(void **state)
{
	const struct frame frame = { .kind = FRAME_USER, .offset = 1 };
	struct cct *cct = cct_create(1);
	struct sample_rows rows = { .n_rows = 0 };

	(void)state;
	cct_add_cost(cct, cct_child(cct, CCT_ROOT, &frame), 0, 1);
	assert_int_equal(sample_rows_check(&rows, cct), -EINVAL);
	add(&rows, 0, 0, 0, 0);
	assert_int_equal(sample_rows_check(&rows, cct), 0);
	add(&rows, 1, 0, 0, 0);
	assert_int_equal(sample_rows_check(&rows, cct), -EINVAL);
	sample_rows_deinit(&rows);
	cct_destroy(cct);
}

static void squares_of_rows_are_those_of_the_samples(void **state)
{
	struct sample_rows rows = { .n_rows = 0 };
	struct profile_quality quality = { .counts = { 0 } };
	struct cct *counted = cct_create(2), *squared = cct_create(2);

	(void)state;
	assert_int_equal(cct_keep_squares(counted), 0);
	for (uint32_t i = 0; i < 100; i++) {
		const struct frame frame = { .kind = FRAME_USER, .offset = i % 3 };
		const struct sample_row row = {
			.node = cct_child(counted, CCT_ROOT, &frame),
			.metric = (uint16_t)(i % 2),
			.weight = UINT64_C(1) << (i % 60),
		};

		assert_int_equal(cct_child(squared, CCT_ROOT, &frame), row.node);
		sample_row_count(&row, counted, &quality);
		assert_int_equal(sample_rows_add(&rows, &row), 0);
	}
	assert_int_equal(sample_rows_square(&rows, squared), 0);
	assert_memory_equal(squared->squares, counted->squares, 8 * sizeof(*squared->squares));
	sample_rows_uncount(counted, &quality);
	assert_true(!counted->squares[2] && !counted->squares[7]);
	sample_rows_deinit(&rows);
	cct_destroy(counted);
	cct_destroy(squared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_is_another_task_once_its_name_changes),
		cmocka_unit_test(rows_of_all_workers_are_sorted_by_metric_and_cpu_and_place),
		cmocka_unit_test(
			a_sample_counts_in_its_node_and_in_quality_until_all_are_taken_out),
		cmocka_unit_test(a_sum_of_more_samples_than_32_bits_count_has_as_many_marked),
		cmocka_unit_test(rows_are_those_of_a_tree_or_are_not),
		cmocka_unit_test(squares_of_rows_are_those_of_the_samples),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
