#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/frames/expander.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

enum { N_FRAMES = 200, PLAIN_SIZE = 3000, N_HELPERS = 4 };

struct frames {
	struct expander expander;
	struct expansion expansions[N_FRAMES];
	uint8_t packed[N_FRAMES][PLAIN_SIZE];
	uint8_t plain[N_FRAMES][PLAIN_SIZE];
	atomic_bool is_over;
};

/* Frame @i holds PLAIN_SIZE bytes of value @i. */
static struct frames *frames_create(void)
{
	struct frames *frames = calloc(1, sizeof(*frames));
	uint8_t bytes[PLAIN_SIZE];

	assert_non_null(frames);
	expander_init(&frames->expander);
	for (size_t i = 0; i < N_FRAMES; i++) {
		struct expansion *expansion = &frames->expansions[i];

		memset(bytes, (int)i, sizeof(bytes));
		expansion->frame = frames->packed[i];
		expansion->frame_size =
			ZSTD_compress(frames->packed[i], PLAIN_SIZE, bytes, PLAIN_SIZE, 1);
		expansion->bytes = frames->plain[i];
		expansion->capacity = PLAIN_SIZE;
	}
	return frames;
}

static void frames_destroy(struct frames *frames)
{
	expander_deinit(&frames->expander);
	free(frames);
}

static void *help(void *arg)
{
	struct frames *frames = arg;

	while (!atomic_load(&frames->is_over))
		expander_help(&frames->expander);
	return NULL;
}

static void check_frame(struct frames *frames, size_t i)
{
	expander_finish(&frames->expander, &frames->expansions[i]);
	assert_int_equal(frames->expansions[i].size, PLAIN_SIZE);
	for (size_t at = 0; at < PLAIN_SIZE; at++)
		assert_int_equal(frames->plain[i][at], i % 256);
}

static void several_threads_expand_each_frame_once(void **state)
{
	struct frames *frames = frames_create();
	pthread_t threads[N_HELPERS];

	(void)state;
	for (size_t i = 0; i < N_HELPERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, help, frames), 0);
	for (size_t i = 0; i < N_FRAMES; i++) {
		expander_add(&frames->expander, &frames->expansions[i]);
		if (i >= 3) /* as a reader does that looks ahead */
			check_frame(frames, i - 3);
	}
	for (size_t i = N_FRAMES - 3; i < N_FRAMES; i++)
		check_frame(frames, i);
	atomic_store(&frames->is_over, true);
	for (size_t i = 0; i < N_HELPERS; i++)
		pthread_join(threads[i], NULL);
	assert_false(expander_help(&frames->expander));
	frames_destroy(frames);
}

static void one_thread_expands_what_it_needs_and_no_more(void **state)
{
	struct frames *frames = frames_create();

	(void)state;
	for (size_t i = 0; i < 3; i++)
		expander_add(&frames->expander, &frames->expansions[i]);
	check_frame(frames, 1);
	assert_int_equal(frames->expansions[0].state, EXPANSION_WAITS);
	assert_int_equal(frames->expansions[2].state, EXPANSION_WAITS);
	check_frame(frames, 2);
	expander_add(&frames->expander, &frames->expansions[3]);
	assert_true(expander_help(&frames->expander));
	check_frame(frames, 0);
	check_frame(frames, 3);
	assert_false(expander_help(&frames->expander));
	frames_destroy(frames);
}

static ssize_t size_expanded(struct frames *frames, size_t i)
{
	expander_add(&frames->expander, &frames->expansions[i]);
	expander_finish(&frames->expander, &frames->expansions[i]);
	return frames->expansions[i].size;
}

static void what_can_not_be_expanded_whole_is_said(void **state)
{
	struct frames *frames = frames_create();

	(void)state;
	frames->expansions[0].frame_size--; /* cut */
	frames->expansions[1].capacity--;   /* larger than its place */
	frames->packed[2][0] ^= 1;          /* not a frame */
	frames->packed[3][5] = 0xff;        /* the size of the contents lies */
	frames->packed[3][6] = 0xff;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(size_expanded(frames, i), -1);
	assert_int_equal(size_expanded(frames, 4), PLAIN_SIZE);
	frames_destroy(frames);
}

static void a_frame_is_whole_or_is_not_one(void **state)
{
	struct frames *frames = frames_create();
	size_t size = frames->expansions[0].frame_size;

	(void)state;
	assert_true(expander_is_frame(frames->packed[0], size));
	assert_false(expander_is_frame(frames->packed[0], size - 1));
	assert_false(expander_is_frame(frames->packed[0], size + 1));
	assert_false(expander_is_frame(frames->packed[0] + 1, size - 1));
	assert_false(expander_is_frame(frames->packed[0], 0));
	frames_destroy(frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_threads_expand_each_frame_once),
		cmocka_unit_test(one_thread_expands_what_it_needs_and_no_more),
		cmocka_unit_test(what_can_not_be_expanded_whole_is_said),
		cmocka_unit_test(a_frame_is_whole_or_is_not_one),
	};

	return cmocka_run_group_tests_name("expander", tests, NULL, NULL);
}
