#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/diff/diff.h"
#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/sample_profile.h"

enum { N_PATHS = 60, MAX_DEPTH = 24, N_PAIRS = 40 };

/* The samples of one side. */
struct side {
	char paths[N_PATHS][MAX_DEPTH];
	uint64_t weights[N_PATHS];
	size_t n;
};

static uint32_t draw(uint64_t *random, uint32_t below)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (uint32_t)(*random >> 33) % below;
}

/* Few functions, so that there is direct and mutual recursion; some paths end in the kernel. */
static void generate(struct side *side, uint64_t *random)
{
	side->n = 1 + draw(random, N_PATHS);
	for (size_t i = 0; i < side->n; i++) {
		char *path = side->paths[i];
		size_t n = 1 + draw(random, MAX_DEPTH - 5);

		for (size_t k = 0; k < n; k++)
			path[k] = (char)('a' + draw(random, 3));
		strcpy(path + n, draw(random, 3) ? "" : ">K");
		side->weights[i] = 1 + draw(random, 100);
	}
}

static void add_side(struct diff_rows *rows, size_t run, const struct side *side,
		     const struct view_options *options)
{
	struct letter_view *fixture;
	void *state;

	assert_int_equal(letter_view_set_up(&state), 0);
	fixture = state;
	profile_add_process(fixture->profile, 10 + (int32_t)run, "prog");
	for (size_t i = 0; i < side->n; i++)
		letter_view_add_sample(fixture, 0, side->paths[i], side->weights[i]);
	letter_view_show(fixture, options);
	assert_int_equal(
		diff_rows_add(rows, run, fixture->view, (const uint32_t[]){ 0 }, false, NULL), 0);
	letter_view_tear_down(&state);
}

static struct diff_source sources[] = { { .side = DIFF_BEFORE, .amount = 1 },
					{ .side = DIFF_AFTER, .amount = 1 } };

static void compare_views(struct diff *diff, const struct diff_options *options,
			  const struct view_options *view, const struct side *before,
			  const struct side *after)
{
	struct diff_rows rows = { .n_runs = 2, .n_metrics = 1 };

	add_side(&rows, 0, before, view);
	add_side(&rows, 1, after, view);
	assert_int_equal(diff_init(diff, options, sources, &rows), 0);
}

static void compare(struct diff *diff, const struct diff_options *options,
		    const struct side *before, const struct side *after)
{
	compare_views(diff, options, &(struct view_options){ .kind = VIEW_TREE, .errors = true },
		      before, after);
}

/* The letters of a row's path; "" of a process. */
static void path_of(const struct diff *diff, size_t row, char *path)
{
	const struct diff_row *of = &diff->rows.rows[row];
	size_t n;

	path[0] = '\0';
	if (of->parent == DIFF_NO_ROW)
		return;
	path_of(diff, of->parent, path);
	n = strlen(path);
	path[n] = *of->name == '[' ? '>' : *of->name;
	path[n + 1] = '\0';
}

/* By the definition: the samples whose path is, or begins with, the row's. */
static void check_row(const struct diff *diff, size_t row, size_t run, const struct side *side)
{
	const struct diff_costs *costs = &diff->rows.metrics[0];
	const struct diff_cost *self = &costs->rows[DIFF_SELF][row * 2 + run];
	const struct diff_cost *total = &costs->rows[DIFF_TOTAL][row * 2 + run];
	uint64_t sums[2] = { 0 }, counts[2] = { 0 };
	char path[MAX_DEPTH + 1];

	path_of(diff, row, path);
	for (size_t i = 0; i < side->n; i++) {
		bool is_self = strcmp(side->paths[i], path) == 0;
		bool is_below = strncmp(side->paths[i], path, strlen(path)) == 0;

		sums[DIFF_SELF] += is_self ? side->weights[i] : 0;
		sums[DIFF_TOTAL] += is_below ? side->weights[i] : 0;
		counts[DIFF_SELF] += is_self;
		counts[DIFF_TOTAL] += is_below;
	}
	assert_int_equal(self->weight, sums[DIFF_SELF]);
	assert_int_equal(self->samples, counts[DIFF_SELF]);
	assert_int_equal(total->weight, sums[DIFF_TOTAL]);
	assert_int_equal(total->samples, counts[DIFF_TOTAL]);
	assert_true(total->weight <= costs->runs[run].cost.weight);
}

static void check_side(const struct diff *diff, size_t run, const struct side *side)
{
	const struct diff_costs *costs = &diff->rows.metrics[0];
	uint64_t whole = 0, sum = 0;

	for (size_t i = 0; i < side->n; i++)
		whole += side->weights[i];
	for (size_t i = 0; i < diff->rows.n_rows; i++) {
		check_row(diff, i, run, side);
		sum += costs->rows[DIFF_SELF][i * 2 + run].weight;
	}
	assert_int_equal(sum, whole);
	assert_int_equal(costs->runs[run].cost.weight, whole);
}

/* Each row once, after the one that it is below, those below one row by what moved. */
static void check_order(const struct diff *diff)
{
	bool *is_known = calloc(diff->rows.n_rows + 1, sizeof(*is_known));

	assert_non_null(is_known);
	assert_int_equal(diff->n_shown, diff->rows.n_rows);
	for (size_t i = 0; i < diff->n_shown; i++) {
		size_t row = diff->order[i];
		uint32_t above = diff->rows.rows[row].parent, next = diff->tree.next[row];

		assert_false(is_known[row]);
		is_known[row] = true;
		assert_true(above == DIFF_NO_ROW || is_known[above]);
		assert_true(above == DIFF_NO_ROW ||
			    diff->tree.moved[above] >= diff->tree.moved[row]);
		assert_true(next == DIFF_NO_ROW || diff->tree.moved[next] <= diff->tree.moved[row]);
		assert_int_equal(diff->tree.depth[row],
				 above == DIFF_NO_ROW ? 0 : diff->tree.depth[above] + 1);
	}
	free(is_known);
}

static void each_side_keeps_its_costs(void **state)
{
	uint64_t random = 88172645463325252u;

	(void)state;
	for (int i = 0; i < N_PAIRS; i++) {
		static struct side before, after;
		struct diff diff;

		generate(&before, &random);
		generate(&after, &random);
		compare(&diff, &(struct diff_options){ .view = VIEW_TREE, .measure = DIFF_TOTAL },
			&before, &after);
		check_side(&diff, 0, &before);
		check_side(&diff, 1, &after);
		check_order(&diff);
		diff_deinit(&diff);
	}
}

static void a_tree_does_not_differ_from_itself(void **state)
{
	uint64_t random = 362436069;
	static struct side side;
	struct diff diff;

	(void)state;
	generate(&side, &random);
	compare(&diff, &(struct diff_options){ .view = VIEW_TREE, .measure = DIFF_TOTAL }, &side,
		&side);
	assert_int_equal(diff.changes[0].n_significant, 0);
	for (size_t i = 0; i < diff.rows.n_rows; i++) {
		assert_true(diff.tree.moved[i] == 0);
		assert_string_equal(diff_row_status(&diff, i), "");
	}
	diff_deinit(&diff);
}

static size_t row_at(const struct diff *diff, const char *path)
{
	for (size_t i = 0; i < diff->rows.n_rows; i++) {
		char of_row[MAX_DEPTH + 1];

		path_of(diff, i, of_row);
		if (strcmp(of_row, path) == 0)
			return i;
	}
	fail_msg("no row %s", path);
	return 0;
}

static void what_moved_far_down_comes_first(void **state)
{
	static const struct side before = { { "mab", "mac", "mx" }, { 400, 300, 300 }, 3 };
	static const struct side after = { { "mab", "mac", "mx", "my" }, { 300, 400, 290, 10 }, 4 };
	struct diff diff;

	(void)state;
	compare(&diff, &(struct diff_options){ .view = VIEW_TREE, .measure = DIFF_TOTAL }, &before,
		&after);
	const size_t order[] = { row_at(&diff, ""), row_at(&diff, "m"), row_at(&diff, "ma"),
				 row_at(&diff, "mac"), row_at(&diff, "mab") };
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		assert_int_equal(diff.order[i], order[i]);
	assert_string_equal(diff_row_status(&diff, row_at(&diff, "my")), "new");
	assert_true(diff_change_of(diff_change_at(&diff, 0, row_at(&diff, "ma"))) == 0);
	diff_deinit(&diff);
}

/* Many samples of weight 1. */
static void rows_above_what_moved_are_shown_with_it(void **state)
{
	static struct side before, after;
	struct diff diff;

	(void)state;
	before.n = after.n = N_PATHS;
	for (size_t i = 0; i < N_PATHS; i++) {
		strcpy(before.paths[i], i % 2 ? "mab" : "mc");
		strcpy(after.paths[i], i % 2 ? "mad" : "mc");
		before.weights[i] = after.weights[i] = 1;
	}
	compare(&diff,
		&(struct diff_options){
			.view = VIEW_TREE, .measure = DIFF_SELF, .significant_only = true },
		&before, &after);
	assert_int_equal(diff.n_shown, 5); /* not mc */
	assert_int_equal(diff.changes[0].n_significant, 2);
	assert_int_equal(diff.order[2], row_at(&diff, "ma"));
	diff_deinit(&diff);
}

static const struct view_options views[] = {
	{ .kind = VIEW_TREE },
	{ .kind = VIEW_CALLERS },
	{ .kind = VIEW_CALLGRAPH },
	{ .kind = VIEW_FUNCTIONS },
	{ .kind = VIEW_LINES },
	{ .kind = VIEW_MODULES },
	{ .kind = VIEW_PROCESSES },
	{ .kind = VIEW_SYSCALLS },
	{ .kind = VIEW_PATHS, .root = "a" },
	{ .kind = VIEW_PATHS, .root = "b", .direction = PATHS_UP },
	{ .kind = VIEW_TREE, .kernel = KERNEL_NONE },
	{ .kind = VIEW_CALLERS, .kernel = KERNEL_ONLY },
};

/* No row has more than its run, and the rows of a table or tree do not have more than a row. */
static void check_bounds(const struct diff *diff, const struct side *side, size_t run)
{
	const struct diff_costs *costs = &diff->rows.metrics[0];
	uint64_t whole = 0, self = 0;

	for (size_t i = 0; i < side->n; i++)
		whole += side->weights[i];
	assert_int_equal(costs->runs[run].cost.weight, whole);
	for (size_t i = 0; i < diff->rows.n_rows; i++) {
		const struct diff_cost *total = &costs->rows[DIFF_TOTAL][i * 2 + run];

		assert_true(total->weight <= whole);
		assert_true(total->samples <= side->n);
		if (diff->rows.rows[i].parent == DIFF_NO_ROW)
			self += costs->rows[DIFF_SELF][i * 2 + run].weight;
	}
	assert_true(self <= whole);
}

static void no_view_has_more_than_the_whole_or_differs_from_itself(void **state)
{
	uint64_t random = 521288629;

	(void)state;
	for (int i = 0; i < N_PAIRS * (int)(sizeof(views) / sizeof(views[0])); i++) {
		struct view_options view = views[i % (int)(sizeof(views) / sizeof(views[0]))];
		const struct diff_options options = { .view = view.kind, .measure = DIFF_TOTAL };
		static struct side before, after;
		struct diff diff;

		view.errors = true;
		generate(&before, &random);
		generate(&after, &random);
		strcpy(before.paths[0], "ab");
		strcpy(after.paths[0], "ab");
		compare_views(&diff, &options, &view, &before, &after);
		check_bounds(&diff, &before, 0);
		check_bounds(&diff, &after, 1);
		check_order(&diff);
		diff_deinit(&diff);
		compare_views(&diff, &options, &view, &before, &before);
		for (size_t k = 0; k < diff.rows.n_rows; k++)
			assert_true(diff.tree.moved[k] == 0);
		assert_int_equal(diff.changes[0].n_significant, 0);
		diff_deinit(&diff);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_side_keeps_its_costs),
		cmocka_unit_test(a_tree_does_not_differ_from_itself),
		cmocka_unit_test(what_moved_far_down_comes_first),
		cmocka_unit_test(rows_above_what_moved_are_shown_with_it),
		cmocka_unit_test(no_view_has_more_than_the_whole_or_differs_from_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
