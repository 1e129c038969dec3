/* Paths entered after each other have the nodes that each would have by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/paths/last_path.h"

#define FRAMES_MAX 12

static size_t random_below(uint64_t *seed, size_t n)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed % n;
}

static struct frame user(uint64_t offset, enum frame_origin origin)
{
	return (struct frame){
		.kind = FRAME_USER, .module = 1, .offset = offset, .origin = origin
	};
}

static uint32_t enter(struct last_path *last, struct cct *cct, const struct frame *frames, size_t n)
{
	last_path_begin(last);
	return last_path_enter(last, cct, frames, n);
}

static void paths_have_the_nodes_of_cct_insert_path(void **state)
{
	struct cct *cct = cct_create(1), *expected = cct_create(1);
	struct last_path last = { .frames = NULL };
	struct frame frames[FRAMES_MAX] = { { 0 } };
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		const size_t n = random_below(&seed, FRAMES_MAX + 1);

		for (size_t at = n - n / (1 + random_below(&seed, 4)); at < FRAMES_MAX; at++)
			frames[at] = user(random_below(&seed, 3), random_below(&seed, 4) / 3);
		const size_t n_first = random_below(&seed, n + 1);
		last_path_begin(&last);
		last_path_enter(&last, cct, frames, n_first);
		assert_int_equal(last_path_enter(&last, cct, frames + n_first, n - n_first),
				 cct_insert_path(expected, CCT_ROOT, frames, n));
	}
	assert_int_equal(cct->n_nodes, expected->n_nodes);
	assert_memory_equal(cct->nodes, expected->nodes, cct->n_nodes * sizeof(*cct->nodes));
	last_path_deinit(&last);
	cct_destroy(cct);
	cct_destroy(expected);
}

static void an_origin_that_is_new_marks_the_frame(void **state)
{
	struct cct *cct = cct_create(1);
	struct last_path last = { .frames = NULL };
	const struct frame by_cfi = user(1, FRAME_BY_CFI), guessed = user(1, FRAME_GUESSED);

	(void)state;
	const uint32_t node = enter(&last, cct, &by_cfi, 1);
	assert_int_equal(cct->nodes[node].frame_marks, 0);
	assert_int_equal(enter(&last, cct, &guessed, 1), node);
	assert_int_equal(cct->nodes[node].frame_marks, 1u << PATH_GUESSED);
	last_path_deinit(&last);
	cct_destroy(cct);
}

static void an_empty_path_is_the_root(void **state)
{
	struct cct *cct = cct_create(1);
	struct last_path last = { .frames = NULL };
	const struct frame frame = user(1, FRAME_BY_CFI);

	(void)state;
	assert_int_equal(enter(&last, cct, &frame, 0), CCT_ROOT);
	enter(&last, cct, &frame, 1);
	assert_int_equal(enter(&last, cct, &frame, 0), CCT_ROOT);
	last_path_deinit(&last);
	cct_destroy(cct);
}

static void frames_further_in_than_are_kept_are_looked_up(void **state)
{
	enum { N = LAST_PATH_FRAMES + 10 };
	static struct frame frames[N];
	struct cct *cct = cct_create(1);
	struct last_path last = { .frames = NULL };

	(void)state;
	for (size_t i = 0; i < N; i++)
		frames[i] = user(i, FRAME_BY_CFI);
	const uint32_t node = enter(&last, cct, frames, N);
	assert_int_equal(cct->n_nodes, N + 1);
	assert_int_equal(enter(&last, cct, frames, N), node);
	const uint32_t child = last_path_enter(&last, cct, frames, 1);
	assert_int_equal(cct->nodes[child].parent, node);
	assert_int_equal(cct->n_nodes, N + 2);
	last_path_deinit(&last);
	cct_destroy(cct);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_have_the_nodes_of_cct_insert_path),
		cmocka_unit_test(an_origin_that_is_new_marks_the_frame),
		cmocka_unit_test(an_empty_path_is_the_root),
		cmocka_unit_test(frames_further_in_than_are_kept_are_looked_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
