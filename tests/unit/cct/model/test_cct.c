#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/model/cct.h"

static struct frame user(uint64_t offset)
{
	return (struct frame){ .kind = FRAME_USER, .module = 1, .offset = offset };
}

static uint32_t insert(struct cct *cct, const uint64_t *offsets, size_t n)
{
	struct frame frames[16];

	for (size_t i = 0; i < n; i++)
		frames[i] = user(offsets[i]);
	return cct_insert_path(cct, CCT_ROOT, frames, n);
}

static void paths_with_a_common_prefix_share_nodes(void **state)
{
	struct cct *cct = cct_create(1);
	uint32_t a = insert(cct, (uint64_t[]){ 1, 2, 3 }, 3);
	uint32_t b = insert(cct, (uint64_t[]){ 1, 2, 4 }, 3);

	(void)state;
	assert_int_not_equal(a, b);
	assert_int_equal(cct->nodes[a].parent, cct->nodes[b].parent);
	assert_int_equal(cct->n_nodes, 5);
	assert_int_equal(insert(cct, (uint64_t[]){ 1, 2, 3 }, 3), a);
	assert_int_equal(cct->n_nodes, 5);
	cct_destroy(cct);
}

static void a_tree_whose_index_was_dropped_finds_its_nodes(void **state)
{
	struct cct *cct = cct_create(1);
	uint32_t a = insert(cct, (uint64_t[]){ 1, 2, 3 }, 3);

	(void)state;
	cct_drop_index(cct);
	cct_drop_index(cct);
	uint32_t b = insert(cct, (uint64_t[]){ 1, 2, 4 }, 3);
	assert_int_equal(cct->nodes[a].parent, cct->nodes[b].parent);
	assert_int_equal(cct->n_nodes, 5);
	assert_int_equal(insert(cct, (uint64_t[]){ 1, 2, 3 }, 3), a);
	assert_int_equal(insert(cct, (uint64_t[]){ 1, 2, 4 }, 3), b);
	assert_int_equal(cct->n_nodes, 5);
	cct_destroy(cct);
}

/* Looks at every node. CCT_NONE: there is none. */
static uint32_t find_by_looking(const struct cct *cct, uint32_t parent, uint64_t offset)
{
	for (uint32_t node = 1; node < cct->n_nodes; node++) {
		if (cct->nodes[node].parent == parent && cct_frame(cct, node)->offset == offset)
			return node;
	}
	return CCT_NONE;
}

/* Wide and narrow nodes, children that come at once and later; more than the first index holds. */
static void nodes_are_found_next_to_their_parents_and_far_from_them(void **state)
{
	struct cct *cct = cct_create(1);
	uint64_t random = 1;

	(void)state;
	for (int path = 0; path < 3000; path++) {
		uint32_t parent = CCT_ROOT;

		for (int depth = 0; depth < 8; depth++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			const uint64_t offset = (random >> 33) % (depth % 3 ? 3 : 9);
			const struct frame frame = user(offset);
			const uint32_t n_before = cct->n_nodes;
			const uint32_t known = find_by_looking(cct, parent, offset);

			parent = cct_child(cct, parent, &frame);
			assert_int_equal(parent, known == CCT_NONE ? n_before : known);
			assert_int_equal(cct->n_nodes, n_before + (known == CCT_NONE));
		}
		if (path % 500 == 499)
			cct_drop_index(cct);
	}
	assert_true(cct->n_nodes > 8192);
	cct_destroy(cct);
}

static void recursion_makes_a_node_per_level(void **state)
{
	struct cct *cct = cct_create(1);

	(void)state;
	insert(cct, (uint64_t[]){ 7, 7, 7, 7 }, 4);
	assert_int_equal(cct->n_nodes, 5);
	cct_destroy(cct);
}

static void a_frame_of_another_kind_or_module_is_another_node(void **state)
{
	struct cct *cct = cct_create(1);
	struct frame frames[] = { { .kind = FRAME_USER, .module = 1, .offset = 5 },
				  { .kind = FRAME_USER, .module = 2, .offset = 5 },
				  { .kind = FRAME_KERNEL, .module = 1, .offset = 5 },
				  { .kind = FRAME_MARKER, .offset = 5 } };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(cct_child(cct, CCT_ROOT, &frames[i]), i + 1);
	cct_destroy(cct);
}

static void parents_have_lower_numbers_than_children_after_growth(void **state)
{
	struct cct *cct = cct_create(2);

	(void)state;
	srandom(1);
	for (int i = 0; i < 50000; i++) {
		uint64_t offsets[12];
		size_t n = 1 + (size_t)random() % 12;

		for (size_t k = 0; k < n; k++)
			offsets[k] = (uint64_t)random() % 5;
		uint32_t node = insert(cct, offsets, n);
		assert_int_not_equal(node, CCT_NONE);
		cct_add_cost(cct, node, (uint32_t)i & 1, (uint64_t)i);
	}
	for (uint32_t node = 1; node < cct->n_nodes; node++)
		assert_true(cct->nodes[node].parent < node);
	assert_int_equal(cct_sum(cct, 0).samples + cct_sum(cct, 1).samples, 50000);
	assert_int_equal(cct_sum(cct, 0).weight + cct_sum(cct, 1).weight, 50000ull * 49999 / 2);
	cct_destroy(cct);
}

/* Adds 1, a frame of @origin at 2, then a kernel frame at 3; its node is the first to return. */
static uint32_t insert_found(struct cct *cct, enum frame_origin origin)
{
	struct frame frames[] = { user(1), user(2), { .kind = FRAME_KERNEL, .offset = 3 } };

	frames[1].origin = (uint16_t)origin;
	return cct_insert_path(cct, CCT_ROOT, frames, 3);
}

static void a_frame_is_marked_by_how_it_was_found_and_no_other(void **state)
{
	struct cct *cct = cct_create(1), *other = cct_create(1);
	uint32_t kernel = insert_found(cct, FRAME_BY_CFI);
	uint32_t found = cct->nodes[kernel].parent;

	(void)state;
	assert_int_equal(cct->nodes[found].frame_marks, 0);
	assert_int_equal(insert_found(cct, FRAME_GUESSED), kernel);
	assert_int_equal(cct->nodes[found].frame_marks, 1u << PATH_GUESSED);
	assert_int_equal(cct->nodes[kernel].frame_marks, 0);
	assert_int_equal(cct->nodes[cct->nodes[found].parent].frame_marks, 0);
	insert_found(other, FRAME_STITCHED);
	assert_int_equal(cct_merge(cct, other), 0);
	assert_int_equal(cct->nodes[found].frame_marks, 1u << PATH_GUESSED | 1u << PATH_STITCHED);
	assert_int_equal(cct->nodes[kernel].frame_marks, 0);
	insert_found(cct, FRAME_JOINED);
	assert_true(cct->nodes[found].frame_marks & 1u << PATH_JOINED);
	cct_destroy(cct);
	cct_destroy(other);
}

static void merging_two_trees_adds_their_costs_path_by_path(void **state)
{
	struct cct *a = cct_create(1), *b = cct_create(1);

	(void)state;
	cct_add_cost(a, insert(a, (uint64_t[]){ 1, 2 }, 2), 0, 10);
	cct_add_cost(b, insert(b, (uint64_t[]){ 3 }, 1), 0, 5);
	cct_add_cost(b, insert(b, (uint64_t[]){ 1, 2 }, 2), 0, 7);
	assert_int_equal(cct_merge(a, b), 0);
	assert_int_equal(a->n_nodes, 4);
	uint32_t node = insert(a, (uint64_t[]){ 1, 2 }, 2);
	assert_int_equal(cct_cost(a, node, 0)->weight, 17);
	assert_int_equal(cct_cost(a, node, 0)->samples, 2);
	assert_int_equal(cct_sum(a, 0).weight, 22);
	cct_destroy(a);
	cct_destroy(b);
}

static void the_longest_sample_of_a_metric_is_kept_on_request(void **state)
{
	struct cct *a = cct_create(2), *b = cct_create(2), *without = cct_create(2);

	(void)state;
	assert_int_equal(cct_keep_longest(a, 1), 0);
	assert_int_equal(cct_keep_longest(b, 1), 0);
	for (uint64_t i = 0; i < 5000; i++) {
		cct_add_cost(a, insert(a, (uint64_t[]){ 1, i }, 2), 1, i);
		cct_add_cost(without, insert(without, (uint64_t[]){ 1, i }, 2), 1, 2 * i);
	}
	uint32_t node = insert(a, (uint64_t[]){ 1, 7 }, 2);
	cct_add_cost(a, node, 1, 3);
	cct_add_cost(a, node, 0, 100);
	assert_int_equal(a->longest[node], 7);
	assert_int_equal(a->longest[CCT_ROOT], 0);
	cct_add_cost(b, insert(b, (uint64_t[]){ 2 }, 1), 1, 4);
	cct_add_cost(b, insert(b, (uint64_t[]){ 1, 7 }, 2), 1, 9);
	assert_int_equal(cct_merge(a, b), 0);
	assert_int_equal(a->longest[node], 9);
	assert_int_equal(a->longest[insert(a, (uint64_t[]){ 2 }, 1)], 4);
	assert_int_equal(a->longest[insert(a, (uint64_t[]){ 1, 4999 }, 2)], 4999);
	assert_int_equal(cct_merge(a, without), 0);
	assert_int_equal(a->longest[node], 9);
	assert_null(without->longest);
	cct_destroy(a);
	cct_destroy(b);
	cct_destroy(without);
}

static void assert_activations(const struct cct *cct, const uint64_t *expected, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(cct->activations[i], expected[i]);
}

/* process / user 1 / user 2 / [kernel] / kernel 3 / kernel 4 / [sleeping] */
static void calls_are_counted_for_code_and_the_way_into_the_kernel(void **state)
{
	static const struct frame path[] = {
		{ .kind = FRAME_PROCESS },
		{ .kind = FRAME_USER, .offset = 1 },
		{ .kind = FRAME_USER, .offset = 2 },
		{ .kind = FRAME_MARKER, .offset = MARKER_KERNEL },
		{ .kind = FRAME_KERNEL, .offset = 3 },
		{ .kind = FRAME_KERNEL, .offset = 4 },
		{ .kind = FRAME_MARKER, .offset = MARKER_SLEEPING },
	};
	struct cct *cct = cct_create(1);

	(void)state;
	uint32_t node = cct_insert_path(cct, CCT_ROOT, path, 7);
	assert_int_equal(cct_keep_activations(cct), 0);
	cct_count_calls(cct, node, 0);
	assert_activations(cct, (uint64_t[]){ 0, 0, 0, 0, 0, 0, 0, 0 }, 8);
	cct_count_calls(cct, node, 1);
	assert_activations(cct, (uint64_t[]){ 0, 0, 0, 0, 0, 0, 1, 0 }, 8);
	cct_count_calls(cct, node, 2);
	assert_activations(cct, (uint64_t[]){ 0, 0, 0, 0, 1, 1, 2, 0 }, 8);
	cct_count_calls(cct, node, 4);
	assert_activations(cct, (uint64_t[]){ 0, 0, 1, 1, 2, 2, 3, 0 }, 8);
	assert_int_equal(cct_child(cct, node, &path[1]), 8);
	assert_int_equal(cct->activations[8], 0);
	cct_drop_activations(cct);
	assert_null(cct->activations);
	cct_destroy(cct);
}

static void activations_of_trees_add_up(void **state)
{
	struct cct *a = cct_create(1), *b = cct_create(1), *without = cct_create(1);

	(void)state;
	assert_int_equal(cct_keep_activations(a), 0);
	assert_int_equal(cct_keep_activations(b), 0);
	cct_count_calls(a, insert(a, (uint64_t[]){ 1, 2 }, 2), 2);
	cct_count_calls(b, insert(b, (uint64_t[]){ 1, 2, 3 }, 3), 2);
	insert(without, (uint64_t[]){ 1, 2 }, 2);
	assert_int_equal(cct_merge(a, b), 0);
	assert_int_equal(cct_merge(a, without), 0);
	assert_activations(a, (uint64_t[]){ 0, 1, 2, 1 }, 4);
	cct_destroy(a);
	cct_destroy(b);
	cct_destroy(without);
}

static void squares_of_weights_are_kept_on_request(void **state)
{
	struct cct *a = cct_create(1), *b = cct_create(2), *without = cct_create(2);
	const unsigned __int128 large = (unsigned __int128)UINT64_MAX * UINT64_MAX;

	(void)state;
	assert_int_equal(cct_keep_squares(a), 0);
	assert_int_equal(cct_keep_squares(b), 0);
	for (uint64_t i = 0; i < 5000; i++)
		cct_add_cost(a, insert(a, (uint64_t[]){ 1, i }, 2), 0, i);
	uint32_t node = insert(a, (uint64_t[]){ 1, 7 }, 2);
	cct_add_cost(a, node, 0, 2);
	assert_int_equal(cct_widen(a, 2), 0);
	cct_add_cost(a, node, 1, UINT64_MAX);
	assert_int_equal(a->squares[2 * node], 7 * 7 + 2 * 2);
	cct_add_cost(b, insert(b, (uint64_t[]){ 1, 7 }, 2), 0, 10);
	cct_add_cost(b, insert(b, (uint64_t[]){ 3 }, 1), 1, 5);
	cct_add_cost(without, insert(without, (uint64_t[]){ 1, 7 }, 2), 0, 3);
	assert_int_equal(cct_merge(a, b), 0);
	assert_int_equal(cct_merge(a, without), 0);
	assert_int_equal(a->squares[2 * node], 7 * 7 + 2 * 2 + 10 * 10);
	assert_true(a->squares[2 * node + 1] == large);
	assert_int_equal(a->squares[2 * insert(a, (uint64_t[]){ 3 }, 1) + 1], 25);
	assert_int_equal(a->squares[2 * insert(a, (uint64_t[]){ 1, 4999 }, 2)], 4999 * 4999);
	assert_null(without->squares);
	cct_drop_squares(a);
	cct_add_cost(a, node, 0, 1);
	assert_null(a->squares);
	cct_destroy(a);
	cct_destroy(b);
	cct_destroy(without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_with_a_common_prefix_share_nodes),
		cmocka_unit_test(a_tree_whose_index_was_dropped_finds_its_nodes),
		cmocka_unit_test(nodes_are_found_next_to_their_parents_and_far_from_them),
		cmocka_unit_test(recursion_makes_a_node_per_level),
		cmocka_unit_test(a_frame_of_another_kind_or_module_is_another_node),
		cmocka_unit_test(parents_have_lower_numbers_than_children_after_growth),
		cmocka_unit_test(a_frame_is_marked_by_how_it_was_found_and_no_other),
		cmocka_unit_test(merging_two_trees_adds_their_costs_path_by_path),
		cmocka_unit_test(the_longest_sample_of_a_metric_is_kept_on_request),
		cmocka_unit_test(calls_are_counted_for_code_and_the_way_into_the_kernel),
		cmocka_unit_test(activations_of_trees_add_up),
		cmocka_unit_test(squares_of_weights_are_kept_on_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
