/* Trees and activations are read as they were written; damaged ones are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/store/profile_parts.h"

#define N_METRICS 2
#define N_THREADS 3
#define N_PATHS   400u
#define DEPTH_MAX 150u /* more levels than a byte of the file tells */
#define N_CALLEES 40u  /* more than the list of a frame has */
#define N_MODULES 3u

/* Always the same numbers. */
static uint32_t draw(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % n;
}

static struct profile *profile_without_tree(void)
{
	struct profile *profile = profile_create();

	assert_non_null(profile);
	for (int i = 0; i < N_METRICS; i++)
		profile_add_metric(profile, "metric", "events");
	profile_add_process(profile, 1, "process");
	for (int i = 0; i < N_THREADS; i++)
		profile_add_thread(profile, i, 0, "thread");
	for (uint32_t i = 1; i < N_MODULES; i++) {
		const struct module_key key = { .kind = MODULE_ELF, .path = "/a", .inode = i };

		assert_int_equal(module_table_add(&profile->modules, &key), i);
	}
	return profile;
}

/* A path whose frames are mostly those of others, at some depth. */
static uint32_t add_path(struct cct *cct, uint32_t *state)
{
	const struct frame process = { .kind = FRAME_PROCESS };
	const struct frame thread = { .kind = FRAME_THREAD, .offset = draw(state, N_THREADS) };
	uint32_t node = cct_child(cct, cct_child(cct, CCT_ROOT, &process), &thread);
	const uint32_t depth = draw(state, 10) ? draw(state, 20) : draw(state, DEPTH_MAX);

	for (uint32_t i = 0; i < depth; i++) {
		const uint32_t callee = draw(state, 4) ? i % 2 : draw(state, N_CALLEES);
		const struct frame frame = {
			.kind = callee % 5 == 4 ? FRAME_KERNEL : FRAME_USER,
			.module = callee % N_MODULES,
			.offset = callee * 977ull << callee % 40,
		};

		node = cct_child(cct, node, &frame);
	}
	return node;
}

/* @n_paths paths; some nodes have no samples, some inner nodes have. */
static struct profile *make_profile(uint32_t n_paths)
{
	struct profile *profile = profile_without_tree();
	struct cct *cct = profile->cct = cct_create(N_METRICS);
	uint32_t state = n_paths;

	assert_non_null(cct);
	assert_int_equal(cct_keep_longest(cct, 1), 0);
	assert_int_equal(cct_keep_activations(cct), 0);
	for (uint32_t i = 0; i < n_paths; i++) {
		const uint32_t node = add_path(cct, &state);

		if (i % 7)
			cct_add_cost(cct, node, i % N_METRICS, i % 3 ? 1000003 : i);
		cct->nodes[node].frame_marks |= i % 50 == 1;
		assert_int_equal(path_marks_add(&cct->marks, node, PATH_GUESSED,
						(uint64_t)(i % 50 == 1) << 33),
				 0);
	}
	for (uint32_t node = 0; node < cct->n_nodes; node++)
		cct->activations[node] = draw(&state, 10) ? 1 : draw(&state, 3) * UINT64_MAX / 2;
	return profile;
}

static void expect_same_nodes(const struct cct *a, const struct cct *b)
{
	assert_int_equal(a->n_nodes, b->n_nodes);
	assert_int_equal(a->longest_metric, b->longest_metric);
	for (uint32_t i = 0; i < a->n_nodes; i++) {
		assert_int_equal(a->nodes[i].parent, b->nodes[i].parent);
		assert_int_equal(a->nodes[i].frame_marks, b->nodes[i].frame_marks);
		assert_true(frame_equal(cct_frame(a, i), cct_frame(b, i)));
		assert_memory_equal(cct_cost(a, i, 0), cct_cost(b, i, 0),
				    N_METRICS * sizeof(struct cct_cost));
		assert_int_equal(a->longest[i], b->longest[i]);
		assert_int_equal(a->activations[i], b->activations[i]);
		assert_memory_equal(path_marks_of(&a->marks, i), path_marks_of(&b->marks, i),
				    N_PATH_MARKS * sizeof(uint64_t));
	}
}

/* Reads both parts. 0, or what is wrong with them. */
static int read_parts(const uint8_t *tree, size_t size, const struct byte_buffer *activations,
		      struct profile **profile_ret)
{
	struct dwarf_reader body = dwarf_reader(tree, size);

	*profile_ret = profile_without_tree();
	int err = tree_part_read(&body, *profile_ret);
	if (err || dwarf_left(&body) || !activations)
		return err || !dwarf_left(&body) ? err : -EINVAL;
	body = dwarf_reader(activations->bytes, activations->size);
	err = activations_part_read(&body, *profile_ret);
	return err || !dwarf_left(&body) ? err : -EINVAL;
}

static void trees_are_read_as_they_were_written(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 2, 30, N_PATHS };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct profile *written = make_profile(numbers[i]), *read;
		struct byte_buffer tree = { 0 }, activations = { 0 };

		tree_part_write(&tree, written);
		activations_part_write(&activations, written);
		assert_false(tree.lacks_memory || activations.lacks_memory);
		assert_int_equal(read_parts(tree.bytes, tree.size, &activations, &read), 0);
		expect_same_nodes(written->cct, read->cct);
		byte_buffer_deinit(&tree);
		byte_buffer_deinit(&activations);
		profile_destroy(written);
		profile_destroy(read);
	}
}

/* Children have higher numbers than their parents, and frames that there are. */
static void assert_is_tree(const struct cct *cct)
{
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		assert_true(cct->nodes[i].parent < i);
		assert_true(cct->nodes[i].frame < cct->frames.n_frames);
	}
}

static void trees_that_were_cut_or_changed_are_refused_or_trees(void **state)
{
	struct profile *written = make_profile(30), *read;
	struct byte_buffer tree = { 0 };

	(void)state;
	tree_part_write(&tree, written);
	for (size_t i = 0; i < tree.size; i++) {
		/* On the heap, of this size, so that what reads too far is seen. */
		uint8_t *copy = malloc(i + !i);
		assert_non_null(copy);
		memcpy(copy, tree.bytes, i);
		assert_int_equal(read_parts(copy, i, NULL, &read), -EINVAL);
		profile_destroy(read);
		free(copy);
	}
	for (size_t i = 0; i < tree.size; i++) {
		static const uint8_t changes[] = { 0x01, 0x02, 0x10, 0x7f, 0x80, 0xff };

		for (size_t k = 0; k < sizeof(changes); k++) {
			tree.bytes[i] ^= changes[k];
			if (read_parts(tree.bytes, tree.size, NULL, &read) == 0)
				assert_is_tree(read->cct);
			profile_destroy(read);
			tree.bytes[i] ^= changes[k];
		}
	}
	byte_buffer_deinit(&tree);
	profile_destroy(written);
}

/* A chain of calls that is known takes a byte a node. */
static void paths_through_known_code_are_small(void **state)
{
	struct profile *profile = profile_without_tree();
	struct byte_buffer few = { 0 }, many = { 0 };

	(void)state;
	profile->cct = cct_create(N_METRICS);
	assert_non_null(profile->cct);
	for (uint32_t i = 0; i < N_THREADS; i++) {
		const struct frame process = { .kind = FRAME_PROCESS };
		const struct frame thread = { .kind = FRAME_THREAD, .offset = i };
		uint32_t node = cct_child(profile->cct, CCT_ROOT, &process);

		node = cct_child(profile->cct, node, &thread);
		for (uint64_t k = 0; k < 100; k++) {
			const struct frame frame = { .kind = FRAME_USER, .offset = k * 1000 };

			node = cct_child(profile->cct, node, &frame);
		}
		tree_part_write(i ? &many : &few, profile);
		if (i + 1 < N_THREADS)
			byte_buffer_clear(&many);
	}
	assert_in_range(many.size, few.size, few.size + (N_THREADS - 1) * 120);
	byte_buffer_deinit(&few);
	byte_buffer_deinit(&many);
	profile_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_are_read_as_they_were_written),
		cmocka_unit_test(trees_that_were_cut_or_changed_are_refused_or_trees),
		cmocka_unit_test(paths_through_known_code_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
