#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cct/model/frame_ids.h"

enum { N_FRAMES = 5000 };

static struct frame frame_at(uint32_t i)
{
	return (struct frame){
		.kind = (uint16_t)(i % 2 ? FRAME_USER : FRAME_KERNEL),
		.module = i % 3,
		.offset = i / 6,
		.origin = (uint16_t)(i % 4),
	};
}

static void enter_all(struct frame_ids *ids)
{
	for (uint32_t i = 0; i < N_FRAMES; i++) {
		const struct frame frame = frame_at(i);

		assert_int_equal(frame_ids_enter(ids, &frame), i);
		assert_true(frame_equal(&ids->frames[i], &frame));
		assert_int_equal(ids->frames[i].origin, 0);
	}
	assert_int_equal(ids->n_frames, N_FRAMES);
}

static void frames_are_numbered_by_first_sight(void **state)
{
	struct frame_ids ids = { .frames = NULL };

	(void)state;
	enter_all(&ids);
	enter_all(&ids);
	frame_ids_deinit(&ids);
}

static void numbers_are_the_same_after_the_index_was_dropped(void **state)
{
	struct frame_ids ids = { .frames = NULL };

	(void)state;
	frame_ids_drop_index(&ids);
	enter_all(&ids);
	frame_ids_drop_index(&ids);
	enter_all(&ids);
	frame_ids_deinit(&ids);
}

static void reserving_keeps_the_numbers_and_their_index(void **state)
{
	struct frame_ids ids = { .frames = NULL };

	(void)state;
	assert_int_equal(frame_ids_reserve(&ids, 100), 0);
	enter_all(&ids);
	frame_ids_drop_index(&ids);
	assert_int_equal(frame_ids_reserve(&ids, 100000), 0);
	enter_all(&ids);
	frame_ids_deinit(&ids);
}

static void the_origin_does_not_distinguish_frames(void **state)
{
	struct frame_ids ids = { .frames = NULL };
	struct frame frame = { .kind = FRAME_USER, .module = 1, .offset = 7 };

	(void)state;
	assert_int_equal(frame_ids_enter(&ids, &frame), 0);
	frame.origin = FRAME_GUESSED;
	assert_int_equal(frame_ids_enter(&ids, &frame), 0);
	frame_ids_deinit(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_numbered_by_first_sight),
		cmocka_unit_test(numbers_are_the_same_after_the_index_was_dropped),
		cmocka_unit_test(reserving_keeps_the_numbers_and_their_index),
		cmocka_unit_test(the_origin_does_not_distinguish_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
