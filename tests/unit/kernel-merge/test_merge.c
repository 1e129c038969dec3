#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernel-merge/merge.h"

#define ON_CPU               \
	{                    \
		.marker = -1 \
	}

#define NO_VALUE                  \
	{                         \
		.is_there = false \
	}

static const struct frame user[] = { { .kind = FRAME_USER, .module = 1, .offset = 10 },
				     { .kind = FRAME_USER, .module = 1, .offset = 20 } };
static const struct frame kernel[] = { { .kind = FRAME_KERNEL, .module = 2, .offset = 30 },
				       { .kind = FRAME_KERNEL, .module = 2, .offset = 40 } };

static void user_callers_come_first_and_the_kernel_leaf_last(void **state)
{
	struct path_halves halves = { user, 2, kernel, 2, -1, ON_CPU, NO_VALUE };
	struct frame path[6];

	(void)state;
	assert_int_equal(merge_call_path(&halves, path), 5);
	assert_true(frame_equal(&path[0], &user[1]));
	assert_true(frame_equal(&path[1], &user[0]));
	assert_int_equal(path[2].kind, FRAME_MARKER);
	assert_int_equal(path[2].offset, MARKER_KERNEL);
	assert_true(frame_equal(&path[3], &kernel[1]));
	assert_true(frame_equal(&path[4], &kernel[0]));
}

static void a_kernel_thread_has_kernel_frames_only(void **state)
{
	struct path_halves halves = { NULL, 0, kernel, 2, -1, ON_CPU, NO_VALUE };
	struct frame path[4];

	(void)state;
	assert_int_equal(merge_call_path(&halves, path), 2);
	assert_true(frame_equal(&path[0], &kernel[1]));
}

static void the_reason_for_missing_callers_is_outermost(void **state)
{
	struct path_halves halves = { user, 1, NULL, 0, MARKER_STACK_CUT, ON_CPU, NO_VALUE };
	struct path_halves no_user = { NULL, 0, kernel, 1, MARKER_NO_STACK, ON_CPU, NO_VALUE };
	struct frame path[4];

	(void)state;
	assert_int_equal(merge_call_path(&halves, path), 2);
	assert_int_equal(path[0].offset, MARKER_STACK_CUT);
	assert_true(frame_equal(&path[1], &user[0]));
	assert_int_equal(merge_call_path(&no_user, path), 3);
	assert_int_equal(path[0].offset, MARKER_NO_STACK);
	assert_int_equal(path[1].offset, MARKER_KERNEL);
	assert_true(frame_equal(&path[2], &kernel[0]));
}

static void why_a_thread_is_off_the_cpu_is_innermost(void **state)
{
	struct path_halves halves = {
		user, 1, kernel, 1, -1, { .marker = MARKER_BLOCKED }, NO_VALUE
	};
	struct path_halves nothing = {
		NULL, 0, NULL, 0, MARKER_SWITCH_LOST, { .marker = MARKER_PREEMPTED }, NO_VALUE
	};
	struct frame path[5];

	(void)state;
	assert_int_equal(merge_call_path(&halves, path), 4);
	assert_true(frame_equal(&path[2], &kernel[0]));
	assert_int_equal(path[3].kind, FRAME_MARKER);
	assert_int_equal(path[3].offset, MARKER_BLOCKED);
	assert_int_equal(merge_call_path(&nothing, path), 2);
	assert_int_equal(path[0].offset, MARKER_SWITCH_LOST);
	assert_int_equal(path[1].offset, MARKER_PREEMPTED);
}

static void a_wait_without_an_end_has_its_lock_before_the_reason(void **state)
{
	struct path_halves halves = {
		user,    1,  kernel,
		1,       -1, { MARKER_WAIT_LOCK, .is_all_time = true, .lock = 0x1000 },
		NO_VALUE
	};
	struct frame path[7];

	(void)state;
	assert_int_equal(merge_call_path(&halves, path), 6);
	assert_int_equal(path[3].offset, MARKER_OFF_ALL_TIME);
	assert_int_equal(path[4].kind, FRAME_LOCK);
	assert_int_equal(path[4].offset, 0x1000);
	assert_int_equal(path[5].offset, MARKER_WAIT_LOCK);
}

static void who_ended_a_wait_is_before_the_reason(void **state)
{
	struct path_halves halves = { user,    1,
				      kernel,  1,
				      -1,      { MARKER_WAIT_PIPE, .has_waker = true, .waker = 3 },
				      NO_VALUE };
	struct frame path[7];

	(void)state;
	assert_int_equal(merge_call_path(&halves, path), 5);
	assert_int_equal(path[3].kind, FRAME_WAKER);
	assert_int_equal(path[3].offset, 3);
	assert_int_equal(path[4].offset, MARKER_WAIT_PIPE);
}

static void a_value_is_below_its_function(void **state)
{
	struct path_halves halves = { user,
				      2,
				      kernel,
				      1,
				      -1,
				      ON_CPU,
				      { .is_there = true, .text = 7, .at = 1, .n_outer = 1 } };
	struct frame path[8];

	(void)state;
	assert_int_equal(merge_call_path(&halves, path), 5);
	assert_true(frame_equal(&path[0], &user[1]));
	assert_int_equal(path[1].kind, FRAME_VALUE);
	assert_int_equal(path[1].offset, 7);
	assert_true(frame_equal(&path[2], &user[0]));
	assert_int_equal(path[3].offset, MARKER_KERNEL);
}

static void a_value_is_above_what_is_inlined_into_its_function(void **state)
{
	struct path_halves halves = {
		user,
		2,
		NULL,
		0,
		-1,
		ON_CPU,
		{ .is_there = true, .text = 7, .at = 0, .n_outer = 2, .has_inner = true }
	};
	uint32_t first, end;
	struct frame path[8];

	(void)state;
	assert_int_equal(merge_call_path(&halves, path), 4);
	assert_int_equal(path[1].offset, user[0].offset);
	assert_int_equal(path[2].kind, FRAME_VALUE);
	assert_int_equal(path[3].offset, user[0].offset);
	assert_false(frame_equal(&path[1], &path[3]));
	assert_false(frame_equal(&path[1], &user[0]));
	frame_part_range(&path[1], 3, &first, &end);
	assert_int_equal(first, 0);
	assert_int_equal(end, 2);
	frame_part_range(&path[3], 3, &first, &end);
	assert_int_equal(first, 2);
	assert_int_equal(end, 3);
	/* Without inlined functions, nothing is left for the inner part. */
	frame_part_range(&path[1], 1, &first, &end);
	assert_int_equal(end, 1);
	frame_part_range(&path[3], 1, &first, &end);
	assert_int_equal(first, end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_callers_come_first_and_the_kernel_leaf_last),
		cmocka_unit_test(a_kernel_thread_has_kernel_frames_only),
		cmocka_unit_test(the_reason_for_missing_callers_is_outermost),
		cmocka_unit_test(why_a_thread_is_off_the_cpu_is_innermost),
		cmocka_unit_test(a_wait_without_an_end_has_its_lock_before_the_reason),
		cmocka_unit_test(who_ended_a_wait_is_before_the_reason),
		cmocka_unit_test(a_value_is_below_its_function),
		cmocka_unit_test(a_value_is_above_what_is_inlined_into_its_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
