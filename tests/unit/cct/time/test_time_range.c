#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/time/time_range.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define TO_END            UINT64_MAX

/* From 100 s to 110 s and 500 ns of some clock. */
static const struct time_span ten_seconds = { 100000000000, 110000000500 };

static struct time_window resolve(const char *text, const struct time_span *span)
{
	struct time_range range;

	assert_int_equal(time_range_parse(text, &range), 0);
	return time_range_resolve(&range, span);
}

static void ranges_are_microseconds_since_the_first_sample(void **state)
{
	static const struct {
		const char *text;
		uint64_t from_us, to_us;
	} ranges[] = {
		{ "1.5-3", 1500000, 3000000 },
		{ "-3", 0, 3000000 },
		{ "2-", 2000000, TO_END },
		{ "0-10", 0, 10000000 },
		{ "0-10.1s", 0, TO_END },
		{ "200ms-2m", 200000, TO_END },
		{ "1500ns-2999ns", 1, 2 },
		{ "10%-20%", 1000000, 2000000 },
		{ "50%-", 5000000, TO_END },
		{ "-100%", 0, TO_END },
		{ "0.5s-50%", 500000, 5000000 },
		{ "end-2s-", 8000000, TO_END },
		{ "end-2-end", 8000000, TO_END },
		{ "-end-1s", 0, 9000000 },
		{ "end-50%-end-10%", 5000000, 9000000 },
		{ "1-end-1s", 1000000, 9000000 },
		{ "end-20s-end-1s", 0, 9000000 },
		{ "20-", 20000000, TO_END },
		{ "5-5", 5000000, 5000000 },
		{ "10%/1", 0, 1000000 },
		{ "25%/4", 7500000, TO_END },
		{ "101.5,103.0000005", 1500000, 3000001 },
		{ "101.5,", 1500000, TO_END },
		{ ",103", 0, 3000001 },
		{ "50,60", 0, 0 },
		{ "50,110.0000005", 0, TO_END },
		{ "200,", 100000000, TO_END },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		const struct time_window window = resolve(ranges[i].text, &ten_seconds);

		print_message("%s\n", ranges[i].text);
		assert_int_equal(window.from_us, ranges[i].from_us);
		assert_int_equal(window.to_us, ranges[i].to_us);
	}
}

static void what_is_not_one_range_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"-",
		"3",
		"3s",
		"end",
		"end-2s",
		"1--2",
		"1-2-3",
		"x-2",
		"1-x",
		" 1-2",
		"1-2 ",
		"1-2%%",
		"101%-",
		"%-2",
		"-2%-",
		"e-2",
		"ending-3",
		"10%/0",
		"10%/11",
		"10/2",
		"10%/",
		"10%/2-3",
		",",
		"10%,20%",
		"1,2,3",
		"1-2,3-4",
		"end,3",
		"1e3-",
		"0x1-0x20",
		"1-2 3-4",
		"--",
		"end--",
		"end-end-",
		"10%/1,10%/3",
		"0000000000000000000000000000000000000000000000000000000000000001-2",
	};
	struct time_range range;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		print_message("'%s'\n", wrong[i]);
		assert_int_equal(time_range_parse(wrong[i], &range), -EINVAL);
	}
}

static void a_range_that_ends_before_it_begins_is_refused(void **state)
{
	static const char *const wrong[] = { "3-2", "20%-10%", "end-1s-end-2s", "5,4", "2s-100ms" };
	struct time_range range;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(time_range_parse(wrong[i], &range), -ERANGE);
}

static void ranges_that_follow_one_another_share_no_time(void **state)
{
	const struct time_window halves[] = { resolve("-50%", &ten_seconds),
					      resolve("50%-", &ten_seconds) };
	uint64_t times[] = { 0, 1, 4999999, 5000000, 9999999, 10000000, 10000001 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		assert_int_equal(time_window_has(&halves[0], times[i]) +
					 time_window_has(&halves[1], times[i]),
				 1);
}

static void a_window_is_shown_within_the_recording(void **state)
{
	const struct time_window windows[] = { resolve("1-2", &ten_seconds),
					       resolve("2-", &ten_seconds),
					       resolve("20-30", &ten_seconds) };
	struct time_span shown = time_window_span(&windows[0], &ten_seconds);

	(void)state;
	assert_int_equal(shown.start_ns, 1000000000);
	assert_int_equal(shown.end_ns, 2000000000);
	shown = time_window_span(&windows[1], &ten_seconds);
	assert_int_equal(shown.start_ns, 2000000000);
	assert_int_equal(shown.end_ns, 10000000500);
	shown = time_window_span(&windows[2], &ten_seconds);
	assert_int_equal(shown.start_ns, 10000000500);
	assert_int_equal(shown.end_ns, 10000000500);
}

static void windows_are_widened_to_whole_slices(void **state)
{
	struct time_window window = { 1000, 1025 }, open = { 4095, TO_END };

	(void)state;
	time_window_widen(&window, 0);
	assert_int_equal(window.from_us, 1000);
	assert_int_equal(window.to_us, 1025);
	time_window_widen(&window, 10);
	assert_int_equal(window.from_us, 0);
	assert_int_equal(window.to_us, 2048);
	time_window_widen(&window, 10);
	assert_int_equal(window.to_us, 2048);
	time_window_widen(&open, 12);
	assert_int_equal(open.from_us, 0);
	assert_int_equal(open.to_us, TO_END);
	window.to_us = 1;
	time_window_widen(&window, 63);
	assert_int_equal(window.to_us, (uint64_t)1 << 63);
}

static void a_recording_without_time_has_any_range_that_is_open(void **state)
{
	const struct time_span none = { 0, 0 };
	const struct time_window window = resolve("end-2s-", &none);

	(void)state;
	assert_true(time_window_has(&window, 0));
}

static void shares_of_a_duration_that_no_recording_has_stay_within_it(void **state)
{
	const struct time_span endless = { 0, UINT64_MAX };

	(void)state;
	assert_int_equal(resolve("100%-", &endless).from_us, UINT64_MAX / 1000);
	assert_int_equal(resolve("-100%", &endless).to_us, TO_END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_microseconds_since_the_first_sample),
		cmocka_unit_test(what_is_not_one_range_is_refused),
		cmocka_unit_test(a_range_that_ends_before_it_begins_is_refused),
		cmocka_unit_test(ranges_that_follow_one_another_share_no_time),
		cmocka_unit_test(a_window_is_shown_within_the_recording),
		cmocka_unit_test(windows_are_widened_to_whole_slices),
		cmocka_unit_test(a_recording_without_time_has_any_range_that_is_open),
		cmocka_unit_test(shares_of_a_duration_that_no_recording_has_stay_within_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
