#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/views/tree_statistics.h"
#include "tests/unit/fixtures/letter_view.h"

static const struct tree_statistics *show(struct letter_view *fixture, enum tree_kind kind)
{
	letter_view_show(fixture, &(struct view_options){ .kind = VIEW_STATS });
	return &fixture->view->trees[kind];
}

/* all -> prog -> m -> (a -> x, b -> (x, y)) */
static void a_tree_has_the_shape_that_its_paths_give_it(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "max", 1);
	letter_view_add_sample(fixture, 0, "mbx", 1);
	letter_view_add_sample(fixture, 0, "mby", 1);
	const struct tree_statistics *tree = show(fixture, TREE_BY_FUNCTION);

	assert_int_equal(tree->n_nodes, 8);
	assert_int_equal(tree->n_interior, 5);
	assert_int_equal(tree->n_leaves, 3);
	assert_int_equal(tree->sum_of_heights, 3 * 4);
	assert_int_equal(tree->max_height, 4);
	assert_int_equal(tree->replication, 2);
	assert_string_equal(tree->replicated, "x");
	assert_true(tree_out_degree(tree) == 7.0 / 5.0);
	assert_true(tree_average_height(tree) == 4.0);
	assert_int_equal(tree->size, 8 * tree_node_size(tree));
}

/* Each letter is another call site: three paths have nothing in common below the process. */
static void each_call_site_is_a_node(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "ma", 1);
	letter_view_add_sample(fixture, 0, "ma", 1);
	letter_view_add_sample(fixture, 0, "mabc", 1);
	const struct tree_statistics *tree = show(fixture, TREE_BY_CALL_SITE);

	assert_int_equal(tree->n_nodes, 2 + 2 + 2 + 4);
	assert_int_equal(tree->n_leaves, 3);
	assert_int_equal(tree->max_height, 5);
	assert_int_equal(tree->sum_of_heights, 3 + 3 + 5);
	assert_int_equal(tree->replication, 0);
	assert_int_equal(show(fixture, TREE_BY_FUNCTION)->n_nodes, 6);
}

static void an_empty_profile_has_a_root(void **state)
{
	struct letter_view *fixture = *state;
	const struct tree_statistics *tree = show(fixture, TREE_BY_FUNCTION);

	assert_int_equal(tree->n_nodes, 1);
	assert_int_equal(tree->max_height, 0);
	assert_int_equal(tree->replication, 0);
	assert_true(tree_out_degree(tree) == 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, letter_view_set_up, letter_view_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_tree_has_the_shape_that_its_paths_give_it),
		TEST(each_call_site_is_a_node),
		TEST(an_empty_profile_has_a_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
