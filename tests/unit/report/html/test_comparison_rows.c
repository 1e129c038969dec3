/* When and in which threads call paths of a comparison have their cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/html/comparison_rows.h"
#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/page_data.h"

enum { N_RUNS = 2, MAX_ROWS = 64 };

/* "prog" has a with 3 samples, b below it with 1, c with 8. By path of the comparison: */
static const char *const paths[] = { "a", "ab", "c" };
static const unsigned samples[] = { 3, 1, 8 };
enum { PATH_A = 1, PATH_AB, PATH_C }; /* rows, after that of the process */

struct made_run {
	struct profile *profile;
	struct comparison_run run;
};

static const uint32_t nodes_of_rows[] = { DIFF_NO_ROW, 0, PATH_A, PATH_AB, PATH_C };
static const uint32_t metrics[] = { 1, 0 };

static void begin(struct made_run *made, size_t number, enum diff_side side)
{
	struct profile *profile = made->profile = profile_create();
	struct frame frame = { .kind = FRAME_USER };

	profile_add_metric(profile, "faults", "events");
	profile_add_metric(profile, "cycles", "events");
	profile->cct = cct_create(2);
	profile->rows = calloc(1, sizeof(*profile->rows));
	for (frame.offset = 1; frame.offset <= 4; frame.offset++)
		cct_child(profile->cct, CCT_ROOT, &frame);
	made->run = (struct comparison_run){
		.number = number,
		.side = side,
		.profile = profile,
		.profile_run = COMPARISON_ALL_RUNS,
		.paths = nodes_of_rows,
		.metrics = metrics,
		.n_metrics = 2,
	};
}

/* @path: row of the comparison. @metric: of those compared. */
static void add(struct made_run *made, uint32_t path, uint32_t metric, uint64_t time_us,
		const char *thread)
{
	struct row_task task = { .pid = 10, .tid = 10 };
	struct sample_row row = { .time = time_us,
				  .weight = 100,
				  .metric = (uint16_t)metrics[metric],
				  .node = path + 1 };

	assert_int_equal(
		sample_rows_enter_task(made->profile->rows, &task, thread, "sh", &row.task), 0);
	assert_int_equal(sample_rows_add(made->profile->rows, &row), 0);
}

static void end(struct made_run *made, struct comparison_rows *rows, const struct diff_rows *diff)
{
	assert_int_equal(comparison_rows_add(rows, diff, &made->run), 0);
	profile_destroy(made->profile);
}

/* The same samples in both runs. */
static void compare(struct diff *diff)
{
	static struct diff_source sources[] = { { .side = DIFF_BEFORE, .amount = 1 },
						{ .side = DIFF_AFTER, .amount = 1 } };
	static const struct diff_metric compared[] = { { .event = "cycles" },
						       { .event = "faults" } };
	static const struct view_options view = { .kind = VIEW_TREE, .errors = true };
	const struct diff_options options = { .view = VIEW_TREE, .metrics = compared };
	struct diff_rows rows = { .n_runs = N_RUNS, .n_metrics = 2 };
	void *state;

	assert_int_equal(letter_view_set_up(&state), 0);
	struct letter_view *fixture = state;
	profile_add_process(fixture->profile, 10, "prog");
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		for (unsigned n = 0; n < samples[i]; n++)
			letter_view_add_sample(fixture, 0, paths[i], 100);
	}
	letter_view_show(fixture, &view);
	for (size_t run = 0; run < N_RUNS; run++)
		assert_int_equal(diff_rows_add(&rows, run, fixture->view,
					       (const uint32_t[]){ 0, 1 }, false, NULL),
				 0);
	letter_view_tear_down(&state);
	assert_int_equal(diff_init(diff, &options, sources, &rows), 0);
}

static const struct comparison_row *find(const struct comparison_side *side, uint32_t path,
					 uint32_t run)
{
	for (uint32_t i = 0; i < side->n; i++) {
		if (side->rows[i].path == path && side->rows[i].run == run)
			return &side->rows[i];
	}
	return NULL;
}

static uint32_t path_of(const struct diff *diff, const char *name)
{
	for (size_t i = 0; i < diff->rows.n_rows; i++) {
		if (strcmp(diff->rows.rows[i].name, name) == 0)
			return (uint32_t)i;
	}
	return DIFF_NO_ROW;
}

static void slices_are_those_of_the_longest_run_of_a_side(void **state)
{
	struct comparison_rows rows = { 0 };
	struct made_run made;
	struct diff diff;

	(void)state;
	compare(&diff);
	begin(&made, 0, DIFF_BEFORE);
	add(&made, PATH_A, 0, 0, "prog");
	add(&made, PATH_C, 0, 12 << 12, "prog");
	add(&made, PATH_C, 0, 13 << 12, "prog"); /* the same slice of twice the length */
	add(&made, PATH_A, 0, 199 << 12, "prog");
	end(&made, &rows, &diff.rows);
	const struct comparison_side *side = &rows.sides[DIFF_BEFORE];
	assert_int_equal(side->shift, 12);
	assert_int_equal(side->n_slices, 200);
	assert_int_equal(side->n, 4);
	begin(&made, 1, DIFF_BEFORE);
	add(&made, PATH_C, 0, 200 << 12, "prog");
	end(&made, &rows, &diff.rows);
	assert_int_equal(side->shift, 13);
	assert_int_equal(side->n_slices, 101);
	assert_int_equal(find(side, PATH_C, 0)->slice, 7);
	assert_int_equal(find(side, PATH_C, 1)->slice, 101);
	assert_int_equal(rows.sides[DIFF_AFTER].n, 0);
	comparison_rows_deinit(&rows);
	diff_deinit(&diff);
}

static void threads_have_the_names_that_comparisons_of_threads_have(void **state)
{
	struct comparison_rows rows = { 0 };
	struct made_run made;
	struct diff diff;

	(void)state;
	compare(&diff);
	begin(&made, 0, DIFF_BEFORE);
	add(&made, PATH_A, 0, 1, "prog");
	add(&made, PATH_C, 0, 1, "worker");
	end(&made, &rows, &diff.rows);
	const struct comparison_side *side = &rows.sides[DIFF_BEFORE];
	const struct comparison_thread *main = &rows.threads[find(side, PATH_A, 0)->thread];
	const struct comparison_thread *worker = &rows.threads[find(side, PATH_C, 0)->thread];
	assert_string_equal(rows.strings.strings[main->process], "prog");
	assert_string_equal(rows.strings.strings[main->thread], "prog");
	assert_string_equal(rows.strings.strings[worker->process], "prog");
	assert_string_equal(rows.strings.strings[worker->thread], "prog/worker");
	comparison_rows_deinit(&rows);
	diff_deinit(&diff);
}

static void metrics_that_are_not_compared_are_left_out(void **state)
{
	struct comparison_rows rows = { 0 };
	struct made_run made;
	struct diff diff;

	(void)state;
	compare(&diff);
	begin(&made, 0, DIFF_AFTER);
	add(&made, PATH_A, 0, 1, "prog");
	add(&made, PATH_C, 1, 1, "prog");
	end(&made, &rows, &diff.rows);
	comparison_rows_drop_metrics(&rows, (const bool[]){ true, false });
	const struct comparison_side *side = &rows.sides[DIFF_AFTER];
	assert_int_equal(side->n, 1);
	assert_int_equal(side->rows[0].path, PATH_C);
	assert_int_equal(side->rows[0].metric, 0);
	comparison_rows_deinit(&rows);
	diff_deinit(&diff);
}

static void runs_have_their_phases_and_losses(void **state)
{
	const struct phase phase = { .name = (char *)"load", .start_ns = 1500, .end_ns = 2500 };
	const struct loss loss = { LOSS_BY_THROTTLING, 3, 1200, 1300, 2 };
	struct comparison_rows rows = { 0 };
	struct made_run made;
	struct diff diff;

	(void)state;
	compare(&diff);
	begin(&made, 1, DIFF_AFTER);
	made.profile->info.start_ns = 1000;
	made.profile->info.end_ns = 4000;
	assert_int_equal(phases_add(&made.profile->phases, &phase), 0);
	assert_int_equal(losses_add(&made.profile->info.losses, &loss), 0);
	end(&made, &rows, &diff.rows);
	assert_int_equal(rows.n_marks, 2);
	assert_null(rows.marks[0]);
	assert_string_equal(rows.marks[1], ",\n\"losses\":[[1,3,200,300,2]],\n"
					   "\"phases\":[[\"load\",500,1500]]");
	comparison_rows_deinit(&rows);
	diff_deinit(&diff);
}

static void skip_strings(struct page_data *data)
{
	uint64_t sizes[MAX_ROWS];
	const size_t n = page_data_number(data);

	page_data_column(data, n, sizes);
	for (size_t i = 0; i < n; i++)
		data->at += sizes[i];
}

/* The rows of the first metric and run: nodes, as differences, and weights. Their number. */
static size_t read_rows(const struct byte_buffer *bytes, uint64_t least, uint64_t *nodes,
			uint64_t *weights)
{
	struct page_data data = { bytes->bytes, bytes->bytes + bytes->size };
	uint64_t column[MAX_ROWS];

	assert_int_equal(page_data_number(&data), least);
	for (int i = 0; i < 2 * N_DIFF_SIDES; i++)
		page_data_number(&data);
	skip_strings(&data);
	const size_t n_threads = page_data_number(&data);
	page_data_column(&data, n_threads, column);
	page_data_column(&data, n_threads, column);
	const size_t n = page_data_number(&data);
	page_data_column(&data, n, nodes);
	page_data_column(&data, n, column);
	page_data_column(&data, n, column);
	page_data_column(&data, n, weights);
	return n;
}

static uint64_t number_of(const struct diff *diff, const char *name)
{
	const uint32_t path = path_of(diff, name);

	for (size_t i = 0; i < diff->n_shown; i++) {
		if (diff->order[i] == path)
			return i + 1;
	}
	return 0;
}

static void assert_rows(const struct diff *diff, const struct comparison_rows *rows, uint64_t least,
			size_t n, const uint64_t *nodes, const uint64_t *weights)
{
	const struct comparison_coarseness coarseness = { .least = least };
	uint64_t read_nodes[MAX_ROWS], read_weights[MAX_ROWS], node = 0;
	struct byte_buffer bytes = { 0 };
	uint32_t n_of_paths, n_rests = 0;

	assert_int_equal(comparison_rows_write(rows, diff, &coarseness, &bytes, &n_of_paths), 0);
	assert_int_equal(read_rows(&bytes, least, read_nodes, read_weights), n);
	for (size_t i = 0; i < n; i++) {
		node += read_nodes[i];
		assert_int_equal(node, nodes[i]);
		assert_int_equal(read_weights[i], weights[i]);
		n_rests += node & 1;
	}
	assert_int_equal(n_of_paths, n - n_rests);
	byte_buffer_deinit(&bytes);
}

static void small_paths_are_one_row_below_the_path_above_them(void **state)
{
	struct comparison_rows rows = { 0 };
	struct made_run made;
	struct diff diff;

	(void)state;
	compare(&diff);
	begin(&made, 0, DIFF_BEFORE);
	add(&made, PATH_A, 0, 1, "prog");
	add(&made, PATH_AB, 0, 1, "prog");
	add(&made, PATH_C, 0, 1, "prog");
	end(&made, &rows, &diff.rows);
	const uint64_t process = 2 * number_of(&diff, "prog"), a = 2 * number_of(&diff, "a"),
		       ab = 2 * number_of(&diff, "b"), c = 2 * number_of(&diff, "c");
	assert_int_equal(process, 2);
	/* What moved most is first, or what is larger. */
	assert_true(c < a && a < ab);
	/* ab has 2 samples in both runs, a 8, c 16, prog 24. */
	assert_rows(&diff, &rows, 0, 3, (const uint64_t[]){ c, a, ab },
		    (const uint64_t[]){ 100, 100, 100 });
	assert_rows(&diff, &rows, 3, 3, (const uint64_t[]){ c, a, a + 1 },
		    (const uint64_t[]){ 100, 100, 100 });
	assert_rows(&diff, &rows, 9, 2, (const uint64_t[]){ process + 1, c },
		    (const uint64_t[]){ 200, 100 });
	assert_rows(&diff, &rows, 100, 1, (const uint64_t[]){ 1 }, (const uint64_t[]){ 300 });
	comparison_rows_deinit(&rows);
	diff_deinit(&diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_are_those_of_the_longest_run_of_a_side),
		cmocka_unit_test(threads_have_the_names_that_comparisons_of_threads_have),
		cmocka_unit_test(metrics_that_are_not_compared_are_left_out),
		cmocka_unit_test(runs_have_their_phases_and_losses),
		cmocka_unit_test(small_paths_are_one_row_below_the_path_above_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
