/* Nodes of a fold, found by parent and entity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/fold/fold.h"

/* Looks at every node. FOLD_NONE: there is none. */
static uint32_t find_by_looking(const struct fold *fold, uint32_t parent, uint32_t entity)
{
	for (uint32_t i = 1; i < fold->n_nodes; i++) {
		if (fold->nodes[i].parent == parent && fold->nodes[i].entity == entity)
			return i;
	}
	return FOLD_NONE;
}

/* Paths that begin with those before, or with a part of them; the fold grows meanwhile. */
static void a_node_is_added_once_below_a_parent(void **state)
{
	struct cct *cct = cct_create(1);
	struct fold *fold = fold_create(cct, false);
	struct node_index index = { 0 };
	uint64_t random = 1;

	(void)state;
	assert_non_null(fold);
	for (int path = 0; path < 1500; path++) {
		uint32_t node = 0;

		for (int depth = 0; depth < 8; depth++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			const uint32_t entity = (uint32_t)(random >> 33) % (depth % 3 ? 3 : 9);
			const uint32_t known = find_by_looking(fold, node, entity);
			const uint32_t n_before = fold->n_nodes;

			assert_int_equal(fold_find_node(fold, &index, node, entity, &node), 0);
			assert_int_equal(node, known == FOLD_NONE ? n_before : known);
			assert_int_equal(fold->n_nodes, n_before + (known == FOLD_NONE));
		}
	}
	node_index_deinit(&index);
	fold_destroy(fold);
	cct_destroy(cct);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_node_is_added_once_below_a_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
