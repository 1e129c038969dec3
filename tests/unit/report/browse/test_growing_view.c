#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/browse/growing_view.h"
#include "report/fold/fold_profile.h"
#include "tests/unit/fixtures/letter_view.h"

#define N_PATHS 400

/* The paths are the same each time. */
static void add_paths(struct letter_view *fixture)
{
	uint32_t state = 1;

	profile_add_process(fixture->profile, 10, "prog");
	profile_add_process(fixture->profile, 11, "other");
	for (unsigned i = 0; i < N_PATHS; i++) {
		char path[12];
		size_t length = 0;

		for (unsigned left = 1 + i % 10; left; left--) {
			state = state * 1103515245 + 12345;
			path[length++] = (char)('a' + (state >> 16) % 4);
		}
		path[length] = '\0';
		letter_view_add_sample(fixture, i % 2, path, 1 + i % 7);
	}
}

static struct growing_view *grow_view(struct letter_view *fixture,
				      const struct view_options *options, struct fold **fold_ret)
{
	struct growing_view *growing;

	assert_int_equal(fold_profile(fixture->profile, fixture->symbolizer, options, fold_ret), 0);
	assert_int_equal(growing_view_create(fixture->profile, options, *fold_ret, &growing), 0);
	return growing;
}

static void assert_same_row(const struct view_row *row, const struct view_row *expected)
{
	assert_string_equal(row->name, expected->name);
	assert_int_equal(row->kind, expected->kind);
	assert_int_equal(row->total[0], expected->total[0]);
	assert_int_equal(row->self[0], expected->self[0]);
	assert_int_equal(row->samples[0], expected->samples[0]);
}

/* Grows everything in passing. Returns the number of rows compared. */
static size_t compare_below(struct growing_view *growing, struct view_row *row,
			    const struct view_row *expected)
{
	const struct view_row *other = expected->children;
	const bool has_children = growing_view_has_children(growing, row);
	size_t n = 0;

	assert_int_equal(has_children, other != NULL);
	assert_int_equal(growing_view_grow(growing, row), 0);
	for (struct view_row *child = row->children; child; child = child->next) {
		assert_non_null(other);
		assert_same_row(child, other);
		n += 1 + compare_below(growing, child, other);
		other = other->next;
	}
	assert_null(other);
	return n;
}

static void grown_rows_are_those_of_the_whole_view(void **state)
{
	static const enum view_kind kinds[] = { VIEW_TREE, VIEW_CALLERS, VIEW_FUNCTIONS };
	struct letter_view *fixture = *state;

	add_paths(fixture);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct view_options options = { .kind = kinds[i] };
		const struct view_row *expected = letter_view_show(fixture, &options);
		struct fold *fold;
		struct growing_view *growing = grow_view(fixture, &options, &fold);
		size_t n = compare_below(growing, growing->view->root, expected);

		assert_true(n >= 4);
		growing_view_destroy(growing);
		fold_destroy(fold);
	}
}

static void a_row_that_nobody_looks_at_does_not_exist(void **state)
{
	static const enum view_kind kinds[] = { VIEW_TREE, VIEW_CALLERS };
	struct letter_view *fixture = *state;

	add_paths(fixture);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct view_options options = { .kind = kinds[i] };
		struct fold *fold;
		struct growing_view *growing = grow_view(fixture, &options, &fold);
		uint64_t n_before = growing->n_grown;

		assert_true(n_before <= 4);
		assert_int_equal(growing_view_grow(growing, growing->view->root->children), 0);
		assert_in_range(growing->n_grown - n_before, 1, 4);
		n_before = growing->n_grown;
		assert_int_equal(growing_view_grow(growing, growing->view->root->children), 0);
		assert_int_equal(growing->n_grown, n_before);
		growing_view_destroy(growing);
		fold_destroy(fold);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(grown_rows_are_those_of_the_whole_view,
						letter_view_set_up, letter_view_tear_down),
		cmocka_unit_test_setup_teardown(a_row_that_nobody_looks_at_does_not_exist,
						letter_view_set_up, letter_view_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
