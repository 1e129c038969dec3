/* The order of the page's nodes, in trees that are drawn at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/html/page_tree.h"

static uint32_t draw(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33) % n;
}

/* A fold of one metric with @n nodes. */
static struct fold *make_fold(uint32_t n, uint64_t seed)
{
	struct cct *cct = cct_create(1);
	struct fold *fold = fold_create(cct, false);
	const struct fold_entity entity = { .name = "f", .module = "" };
	uint32_t node;

	cct_destroy(cct);
	assert_int_equal(fold_add_entity(fold, &entity), 0);
	while (fold->n_nodes < n) {
		assert_int_equal(fold_add_node(fold, draw(&seed, fold->n_nodes), 0, &node), 0);
		fold->self[node] = draw(&seed, 5);
	}
	assert_int_equal(fold_sum_up(fold), 0);
	return fold;
}

static void check(const struct page_tree *tree)
{
	const struct fold *fold = tree->fold;

	assert_int_equal(tree->nodes[0], 0);
	assert_int_equal(tree->depths[0], 0);
	for (uint32_t place = 1; place < fold->n_nodes; place++) {
		uint32_t parent = place - 1, sibling = 0;

		assert_int_equal(tree->places[tree->nodes[place]], place);
		assert_in_range(tree->depths[place], 1, tree->depths[place - 1] + 1);
		for (; tree->depths[parent] >= tree->depths[place]; parent--) {
			if (tree->depths[parent] == tree->depths[place] && !sibling)
				sibling = parent;
		}
		assert_int_equal(tree->nodes[parent], fold->nodes[tree->nodes[place]].parent);
		if (sibling)
			assert_true(page_tree_total(tree, sibling) >= page_tree_total(tree, place));
	}
}

static void nodes_are_depth_first_and_the_costliest_sibling_comes_first(void **state)
{
	(void)state;
	for (uint32_t n = 1; n < 120; n++) {
		struct fold *fold = make_fold(n, n);
		struct page_tree tree;

		assert_int_equal(page_tree_init(&tree, fold, 0), 0);
		check(&tree);
		page_tree_deinit(&tree);
		fold_destroy(fold);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_depth_first_and_the_costliest_sibling_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
