#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/stacks/stack_tree.h"
#include "tests/unit/fixtures/letter_profile.h"

/* The functions of a stack, outermost first. */
static void expect_stack(const struct stack_tree *tree, uint32_t node, const char *wanted)
{
	char text[64];
	size_t at = sizeof(text) - 1;

	text[at] = '\0';
	for (; node != STACK_NONE; node = tree->nodes[node].parent)
		text[--at] =
			tree->functions[tree->frames[tree->nodes[node].frame].function].name[0];
	assert_string_equal(text + at, wanted);
}

static void equal_paths_of_all_threads_are_one_stack(void **state)
{
	const char *const paths[] = { "aab", "a>AB", "!c", "aab", "" };
	struct letter_profile letters;
	struct stack_tree *tree;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles" }, 1);
	for (int i = 0; i < 5; i++)
		letter_profile_add(&letters, letter_profile_thread(&letters, 1 + i / 3, i, "t"),
				   paths[i], 0, 1, 0);
	assert_int_equal(
		stack_tree_create(letters.profile, letters.symbolizer, STACKS_OF_FUNCTIONS, &tree),
		0);
	const struct sample_row *rows = letters.profile->rows->rows;
	expect_stack(tree, tree->node_of[rows[0].node], "aab");
	expect_stack(tree, tree->node_of[rows[1].node], "aAB");
	expect_stack(tree, tree->node_of[rows[2].node], "[c");
	assert_int_equal(tree->node_of[rows[3].node], tree->node_of[rows[0].node]);
	assert_int_equal(tree->node_of[rows[4].node], STACK_NONE);
	assert_int_equal(tree->n_nodes, 7);
	assert_int_equal(tree->n_functions, 6);
	assert_int_equal(tree->n_frames, 6);
	stack_tree_destroy(tree);
	letter_profile_deinit(&letters);
}

static void functions_have_their_kinds_and_modules(void **state)
{
	const enum stack_kind kinds[] = { STACK_MARK, STACK_USER, STACK_KERNEL };
	struct letter_profile letters;
	struct stack_tree *tree;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles" }, 1);
	letter_profile_add(&letters, letter_profile_thread(&letters, 1, 1, "t"), "!a>B", 0, 1, 0);
	assert_int_equal(
		stack_tree_create(letters.profile, letters.symbolizer, STACKS_OF_CODE, &tree), 0);
	const uint32_t modules[] = { 0, letters.user, letters.kernel };
	assert_int_equal(tree->n_functions, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(tree->functions[i].kind, kinds[i]);
		assert_int_equal(tree->functions[i].module, modules[i]);
	}
	stack_tree_destroy(tree);
	letter_profile_deinit(&letters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_paths_of_all_threads_are_one_stack),
		cmocka_unit_test(functions_have_their_kinds_and_modules),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
