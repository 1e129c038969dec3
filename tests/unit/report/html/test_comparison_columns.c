/* The data of the page of a comparison, read again as their header describes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/html/comparison_columns.h"
#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/page_data.h"

enum { N_RUNS = 2, MAX_ROWS = 64, MAX_PATH = 16 };

struct side {
	const char *path;
	uint64_t weights[N_RUNS]; /* of one sample each; 0: none */
};

/* "bd" takes a thousandth of a run. */
static const struct side sides[] = {
	{ "a", { 300, 200 } }, { "ab", { 500, 0 } }, { "ac>K", { 0, 799 } },
	{ "bd", { 1, 1 } },    { "b", { 199, 0 } },
};
#define N_SIDES (sizeof(sides) / sizeof(sides[0]))

struct read_row {
	char path[MAX_PATH];
	uint32_t depth;
	uint64_t weight[N_RUNS], samples[N_RUNS], uneven[N_RUNS];
};

struct reading {
	struct page_data data;
	const char *names[MAX_ROWS], *modules[MAX_ROWS];
	uint64_t kinds[MAX_ROWS];
	struct read_row rows[MAX_ROWS];
	size_t n_rows;
};

static void read_functions(struct reading *reading, char *strings)
{
	const char *known[MAX_ROWS];
	uint64_t numbers[MAX_ROWS];
	size_t n = page_data_number(&reading->data);

	page_data_column(&reading->data, n, numbers);
	for (size_t i = 0; i < n; i++) {
		memcpy(strings, reading->data.at, numbers[i]);
		strings[numbers[i]] = '\0';
		known[i] = strings;
		strings += numbers[i] + 1;
		reading->data.at += numbers[i];
	}
	n = page_data_number(&reading->data);
	page_data_column(&reading->data, n, numbers);
	for (size_t i = 0; i < n; i++)
		reading->names[i] = known[numbers[i]];
	page_data_column(&reading->data, n, numbers);
	for (size_t i = 0; i < n; i++)
		reading->modules[i] = known[numbers[i]];
	page_data_column(&reading->data, n, reading->kinds);
}

/* The first letters of names: "p" is the process, "[" the kernel's mark. */
static void read_paths(struct reading *reading)
{
	uint64_t ups[MAX_ROWS], functions[MAX_ROWS];
	char path[MAX_PATH] = "";
	size_t depth = 0;

	page_data_column(&reading->data, reading->n_rows, ups);
	page_data_column(&reading->data, reading->n_rows, functions);
	for (size_t i = 0; i < reading->n_rows; i++) {
		depth = depth + 1 - ups[i];
		assert_in_range(depth, 1, MAX_PATH - 2);
		path[depth - 1] = *reading->names[functions[i]];
		path[depth] = '\0';
		memcpy(reading->rows[i].path, path, sizeof(path));
		reading->rows[i].depth = (uint32_t)depth;
	}
}

static void read_costs(struct reading *reading, int run)
{
	uint64_t numbers[3][MAX_ROWS];

	for (int i = 0; i < 3; i++)
		page_data_column(&reading->data, reading->n_rows, numbers[i]);
	for (size_t i = 0; i < reading->n_rows; i++) {
		reading->rows[i].weight[run] = numbers[0][i];
		reading->rows[i].samples[run] = numbers[1][i];
		reading->rows[i].uneven[run] = numbers[2][i];
	}
}

static void read_all(struct reading *reading, const struct byte_buffer *bytes, char *strings)
{
	*reading = (struct reading){ .data = { bytes->bytes, bytes->bytes + bytes->size } };
	read_functions(reading, strings);
	reading->n_rows = page_data_number(&reading->data);
	read_paths(reading);
	for (int run = 0; run < N_RUNS; run++)
		read_costs(reading, run);
	assert_ptr_equal(reading->data.at, reading->data.end);
}

static void add_run(struct diff_rows *rows, size_t run)
{
	static const struct view_options options = { .kind = VIEW_TREE, .errors = true };
	void *state;

	assert_int_equal(letter_view_set_up(&state), 0);
	struct letter_view *fixture = state;
	profile_add_process(fixture->profile, 10, "prog");
	for (size_t i = 0; i < N_SIDES; i++) {
		if (sides[i].weights[run])
			letter_view_add_sample(fixture, 0, sides[i].path, sides[i].weights[run]);
	}
	if (run) /* two samples of different weights */
		letter_view_add_sample(fixture, 0, "a", 600);
	letter_view_show(fixture, &options);
	assert_int_equal(
		diff_rows_add(rows, run, fixture->view, (const uint32_t[]){ 0 }, false, NULL), 0);
	letter_view_tear_down(&state);
}

static void read_diff(uint64_t parts, struct reading *reading, char *strings)
{
	static struct diff_source sources[] = { { .side = DIFF_BEFORE, .amount = 1 },
						{ .side = DIFF_AFTER, .amount = 1 } };
	static const struct diff_metric metric = { .event = "cpu-clock", .unit = "ns" };
	const struct diff_options options = { .view = VIEW_TREE,
					      .measure = DIFF_TOTAL,
					      .metrics = &metric };
	struct diff_rows rows = { .n_runs = N_RUNS, .n_metrics = 1 };
	struct byte_buffer bytes = { 0 };
	struct diff diff;

	for (size_t run = 0; run < N_RUNS; run++)
		add_run(&rows, run);
	assert_int_equal(diff_init(&diff, &options, sources, &rows), 0);
	assert_int_equal(comparison_columns_write(&diff, parts, &bytes), 0);
	read_all(reading, &bytes, strings);
	byte_buffer_deinit(&bytes);
	diff_deinit(&diff);
	diff_rows_deinit(&rows);
}

/* NULL: it is not there. */
static const struct read_row *find(const struct reading *reading, const char *path)
{
	for (size_t i = 0; i < reading->n_rows; i++) {
		if (strcmp(reading->rows[i].path, path) == 0)
			return &reading->rows[i];
	}
	return NULL;
}

static void assert_cost(const struct reading *reading, const char *path, uint64_t before,
			uint64_t after)
{
	const struct read_row *row = find(reading, path);

	assert_non_null(row);
	assert_int_equal(row->weight[0], before);
	assert_int_equal(row->weight[1], after);
}

static void each_path_has_its_own_cost_in_each_run(void **state)
{
	struct reading reading;
	char strings[1024];

	(void)state;
	read_diff(0, &reading, strings);
	assert_int_equal(reading.n_rows, 8);
	assert_cost(&reading, "p", 0, 0);
	assert_cost(&reading, "pa", 300, 800);
	assert_cost(&reading, "pab", 500, 0);
	assert_cost(&reading, "pac", 0, 0);
	assert_cost(&reading, "pac[", 0, 0);
	assert_cost(&reading, "pac[K", 0, 799);
	assert_cost(&reading, "pb", 199, 0);
	assert_cost(&reading, "pbd", 1, 1);
	assert_int_equal(find(&reading, "pa")->samples[1], 2);
}

static void squares_are_told_by_how_uneven_weights_are(void **state)
{
	struct reading reading;
	char strings[1024];

	(void)state;
	read_diff(0, &reading, strings);
	const struct read_row *row = find(&reading, "pa");
	assert_int_equal(row->uneven[0], 0);
	/* (200^2 + 600^2) / (800^2 / 2) - 1 */
	assert_int_equal(row->uneven[1], UINT64_C(1) << (COMPARISON_UNEVEN_BITS - 2));
}

static void a_first_picture_has_wide_paths_with_the_cost_of_the_others(void **state)
{
	struct reading reading;
	char strings[1024];

	(void)state;
	read_diff(10, &reading, strings);
	assert_null(find(&reading, "pbd"));
	assert_int_equal(reading.n_rows, 7);
	assert_cost(&reading, "pb", 200, 1);
	assert_int_equal(find(&reading, "pb")->samples[0], 2);
	assert_cost(&reading, "pac[K", 0, 799);
	read_diff(1, &reading, strings); /* none has more than the whole */
	assert_int_equal(reading.n_rows, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_path_has_its_own_cost_in_each_run),
		cmocka_unit_test(squares_are_told_by_how_uneven_weights_are),
		cmocka_unit_test(a_first_picture_has_wide_paths_with_the_cost_of_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
