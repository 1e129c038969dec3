/* Frames at their places, below the callers with which they were seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/paths/frame_tree.h"

enum { N_MANY = 5000 };
static const int threads[2];

static struct placed_frame frame(uint64_t sp, uint64_t addr)
{
	return (struct placed_frame){
		.sp = sp, .addr = addr, .frame = { .kind = FRAME_USER, .module = 1, .offset = addr }
	};
}

static void a_frame_is_found_below_its_caller(void **state)
{
	struct frame_tree tree = { .nodes = NULL };
	const struct placed_frame outer = frame(800, 1), inner = frame(700, 2);

	(void)state;
	assert_int_equal(frame_tree_root(&tree, threads), FRAME_NONE);
	const uint32_t root = frame_tree_add_root(&tree, threads);
	assert_int_equal(frame_tree_root(&tree, threads), root);
	const uint32_t above = frame_tree_add_child(&tree, root, &outer);
	const uint32_t below = frame_tree_add_child(&tree, above, &inner);
	assert_int_equal(frame_tree_add_child(&tree, above, &inner), below);
	assert_int_equal(frame_tree_child(&tree, above, &inner), below);
	assert_int_equal(frame_tree_child(&tree, root, &inner), FRAME_NONE);
	assert_int_equal(tree.nodes[below].parent, above);
	assert_int_equal(tree.nodes[below].at.sp, 700);
	frame_tree_deinit(&tree);
}

static void another_place_or_other_code_is_another_frame(void **state)
{
	struct frame_tree tree = { .nodes = NULL };
	struct placed_frame at = frame(800, 1);

	(void)state;
	const uint32_t root = frame_tree_add_root(&tree, threads);
	frame_tree_add_child(&tree, root, &at);
	at.sp++;
	assert_int_equal(frame_tree_child(&tree, root, &at), FRAME_NONE);
	at = frame(800, 2);
	assert_int_equal(frame_tree_child(&tree, root, &at), FRAME_NONE);
	at = frame(800, 1);
	at.frame.module++;
	assert_int_equal(frame_tree_child(&tree, root, &at), FRAME_NONE);
	frame_tree_deinit(&tree);
}

static void the_likes_of_a_frame_are_those_below_other_callers(void **state)
{
	struct frame_tree tree = { .nodes = NULL };
	const struct placed_frame left = frame(800, 1), right = frame(800, 2), at = frame(700, 3);

	(void)state;
	const uint32_t root = frame_tree_add_root(&tree, threads);
	const uint32_t other_root = frame_tree_add_root(&tree, threads + 1);
	const uint32_t a =
		frame_tree_add_child(&tree, frame_tree_add_child(&tree, root, &left), &at);
	frame_tree_add_child(&tree, frame_tree_add_child(&tree, other_root, &left), &at);
	assert_int_equal(frame_tree_likes(&tree, root, &at), FRAME_NONE);
	assert_int_equal(frame_tree_place(&tree), 0);
	assert_int_equal(frame_tree_likes(&tree, root, &at), a);
	assert_false(tree.nodes[a].has_likes);
	const uint32_t b =
		frame_tree_add_child(&tree, frame_tree_add_child(&tree, root, &right), &at);
	assert_int_equal(frame_tree_likes(&tree, root, &at), a);
	assert_int_equal(frame_tree_place(&tree), 0);
	assert_true(tree.nodes[a].has_likes && tree.nodes[b].has_likes);
	assert_int_equal(frame_tree_likes(&tree, root, &at), b);
	assert_int_equal(tree.nodes[b].next_like, a);
	assert_int_equal(tree.nodes[a].next_like, FRAME_NONE);
	frame_tree_deinit(&tree);
}

static void frames_are_found_again_in_a_large_tree(void **state)
{
	struct frame_tree tree = { .nodes = NULL };
	uint32_t node = frame_tree_add_root(&tree, threads);

	(void)state;
	for (uint64_t i = 0; i < N_MANY; i++) {
		const struct placed_frame at = frame(1 << 20, i);

		assert_int_not_equal(frame_tree_add_child(&tree, node, &at), FRAME_NONE);
		node = frame_tree_child(&tree, node, &at);
		assert_int_equal(node, i + 2);
	}
	const struct placed_frame middle = frame(1 << 20, N_MANY / 2);

	assert_int_equal(frame_tree_place(&tree), 0);
	assert_int_equal(frame_tree_likes(&tree, tree.nodes[node].root, &middle), N_MANY / 2 + 2);
	frame_tree_deinit(&tree);
	assert_int_equal(frame_tree_root(&tree, threads), FRAME_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_found_below_its_caller),
		cmocka_unit_test(another_place_or_other_code_is_another_frame),
		cmocka_unit_test(the_likes_of_a_frame_are_those_below_other_callers),
		cmocka_unit_test(frames_are_found_again_in_a_large_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
