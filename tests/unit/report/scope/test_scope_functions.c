/* The functions of a part of a profile are the same as in the fold of its paths. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/scope/scope_functions.h"
#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/sample_profile.h"

static uint32_t draw(uint32_t n)
{
	static uint64_t seed = 11;

	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* Few letters and processes of one name, so that rows are of many nodes, and recursion. Some
 * samples have no frames. */
static void make_up(struct letter_view *fixture, uint32_t n_metrics)
{
	static const char *const names[] = { "make", "sh", "sh", "cc" };

	fixture->profile->cct->n_metrics = n_metrics;
	assert_int_equal(cct_keep_longest(fixture->profile->cct, 0), 0);
	for (int i = 0; i < 4; i++)
		profile_add_process(fixture->profile, 10 + i, names[i]);
	for (int i = 0; i < 600; i++) {
		char path[16] = "";
		size_t size = 0;

		for (uint32_t depth = draw(6); depth; depth--)
			path[size++] = (char)('a' + draw(3));
		if (draw(3) == 0)
			path[size++] = '>';
		for (uint32_t depth = draw(3); strchr(path, '>') && depth; depth--)
			path[size++] = (char)('A' + draw(2));
		sample_profile_add(fixture->profile, letter_view_add_path(fixture, draw(4), path),
				   draw(n_metrics), 1 + draw(9));
	}
}

/* All of each row in the order of the view, and the root's costs. Frees the fold. */
static char *write_rows(const struct profile *profile, struct fold *fold)
{
	const struct view_options options = { .kind = VIEW_FUNCTIONS, .sort = SORT_TOTAL };
	char *text = NULL;
	size_t size;
	struct view *view;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(view_create_from_fold(profile, &options, fold, &view), 0);
	for (const struct view_row *row = view->root; row;
	     row = row == view->root ? row->children : row->next) {
		fprintf(out, "%s [%s] %d %d %u %lu", row->name, row->module, (int)row->kind,
			row->id, row->n_merged, row->longest);
		for (uint32_t i = 0; i < view->n_columns; i++)
			fprintf(out, " %lu %lu %lu %lu", row->self[i], row->total[i],
				row->self_samples ? row->self_samples[i] : 0, row->samples[i]);
		fprintf(out, "\n");
	}
	fclose(out);
	view_destroy(view);
	fold_destroy(fold);
	return text;
}

static void compare(const struct letter_view *fixture, struct refold_base *base,
		    const struct browse_scope *scope)
{
	struct fold *expected_fold, *fold;

	assert_int_equal(scope_functions_can_fold(scope, base), !browse_scope_is_whole(scope));
	if (browse_scope_is_whole(scope))
		return;
	assert_int_equal(browse_scope_fold(scope, base, &expected_fold), 0);
	assert_int_equal(scope_functions_fold(scope, base, &fold), 0);
	char *expected = write_rows(fixture->profile, expected_fold);
	char *text = write_rows(fixture->profile, fold);
	assert_string_equal(text, expected);
	free(text);
	free(expected);
}

static void add_condition(struct browse_scope *scope, enum condition_kind kind, const char *text)
{
	struct browse_condition condition = { .kind = kind };

	assert_int_equal(browse_condition_init(&condition, text), 0);
	assert_int_equal(browse_scope_add_condition(scope, &condition), 0);
	browse_condition_deinit(&condition);
}

static void begin(struct letter_view *fixture, uint32_t n_metrics, struct refold_base *base)
{
	const struct view_options options = { .kind = VIEW_TREE };

	make_up(fixture, n_metrics);
	assert_int_equal(refold_base_init(base, fixture->profile, fixture->symbolizer, &options),
			 0);
	assert_int_equal(refold_base_prepare(base), 0);
}

static void compare_all(struct letter_view *fixture, uint32_t n_metrics)
{
	struct refold_base base;

	begin(fixture, n_metrics, &base);
	for (int kernel = KERNEL_MERGED; kernel <= KERNEL_NONE; kernel++) {
		struct browse_scope scope = { .kernel = (enum view_kernel)kernel };

		compare(fixture, &base, &scope);
		add_condition(&scope, PATH_IGNORE, "^B$");
		compare(fixture, &base, &scope);
		add_condition(&scope, PATH_FOCUS, "^b$");
		compare(fixture, &base, &scope);
		browse_scope_deinit(&scope);
	}
	refold_base_deinit(&base);
}

static void rows_are_those_of_the_fold_of_paths(void **state)
{
	compare_all(*state, 2);
}

static void rows_of_a_single_metric_are_the_same(void **state)
{
	compare_all(*state, 1);
}

static void nothing_is_folded_where_no_path_is_selected(void **state)
{
	struct letter_view *fixture = *state;
	struct browse_scope scope = { .n_conditions = 0 };
	struct refold_base base;
	struct fold *fold = NULL;

	begin(fixture, 2, &base);
	add_condition(&scope, PATH_FOCUS, "^z$");
	assert_int_equal(scope_functions_fold(&scope, &base, &fold), -ENOENT);
	assert_null(fold);
	browse_scope_deinit(&scope);
	refold_base_deinit(&base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_are_those_of_the_fold_of_paths,
						letter_view_set_up, letter_view_tear_down),
		cmocka_unit_test_setup_teardown(rows_of_a_single_metric_are_the_same,
						letter_view_set_up, letter_view_tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_folded_where_no_path_is_selected,
						letter_view_set_up, letter_view_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
