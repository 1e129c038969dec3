/* The times of windows while somebody sets the clock: only the readings of both clocks count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/base/clock.h"
#include "collector/agent/agent_window.h"
#include "tests/unit/fixtures/new_folder.h"

#define MINUTE    (60 * NSEC_PER_SEC)
#define HOUR      (60 * MINUTE)
#define NOON      (1700000000 * NSEC_PER_SEC)
#define N_WINDOWS 5

/* Windows of a minute; the clock is @steps[i] ahead of the first one's at the end of window i. */
static void make_windows(const int64_t *steps, struct time_span *spans)
{
	struct clock_moment now = { HOUR, NOON };

	for (size_t i = 0; i < N_WINDOWS; i++) {
		struct agent_window window = { .builder = { getpid(), -1, false, 1 },
					       .begin = now };

		now.now_ns += MINUTE;
		now.unix_ns = NOON + (i + 1) * MINUTE + (uint64_t)steps[i];
		agent_window_end(&window, &now, 0);
		spans[i] = window.span;
	}
}

static void keep(struct window_folder *folder, const struct time_span *span)
{
	char name[TEMPORARY_NAME_MAX], kept[WINDOW_NAME_MAX];
	const int fd = window_folder_create(folder, name);

	assert_true(fd >= 0);
	assert_int_equal(window_folder_keep(folder, fd, name, span, kept), 0);
	close(fd);
}

/* Each of them is there once, also where two have the same time of day. */
static void expect_all_kept(const struct time_span *spans)
{
	struct window_folder folder;
	struct window_list list;
	char *error = NULL;
	uint64_t time_ns = 0;

	assert_int_equal(window_folder_open(&folder, new_folder_path, &error), 0);
	for (size_t i = 0; i < N_WINDOWS; i++)
		keep(&folder, &spans[i]);
	assert_int_equal(window_folder_list(folder.fd, &list), 0);
	assert_int_equal(list.n, N_WINDOWS);
	for (size_t i = 0; i < list.n; i++)
		time_ns += list.files[i].span.end_ns - list.files[i].span.start_ns;
	assert_in_range(time_ns, N_WINDOWS * MINUTE - 5 * NSEC_PER_SEC,
			N_WINDOWS * MINUTE + 5 * NSEC_PER_SEC);
	for (size_t i = 0; i < list.n; i++)
		window_folder_remove(&folder, list.files[i].name);
	window_list_deinit(&list);
	window_folder_close(&folder);
}

static void windows_touch_while_nobody_sets_the_clock(void **state)
{
	/* It is corrected by less than a second, as by NTP. */
	static const int64_t steps[N_WINDOWS] = { 0, 400 * (int64_t)NSEC_PER_MSEC,
						  -300 * (int64_t)NSEC_PER_MSEC, 0, 0 };
	struct time_span spans[N_WINDOWS];

	(void)state;
	make_windows(steps, spans);
	for (size_t i = 1; i < N_WINDOWS; i++)
		assert_int_equal(spans[i].start_ns, spans[i - 1].end_ns);
	expect_all_kept(spans);
}

static void a_step_of_the_clock_loses_and_doubles_no_window(void **state)
{
	static const int64_t by[] = { HOUR, -(int64_t)HOUR, MINUTE, -(int64_t)MINUTE,
				      -2 * (int64_t)MINUTE };

	(void)state;
	for (size_t k = 0; k < sizeof(by) / sizeof(by[0]); k++) {
		const int64_t steps[N_WINDOWS] = { 0, 0, by[k], by[k], by[k] };
		struct time_span spans[N_WINDOWS];

		make_windows(steps, spans);
		/* Each is as long as it took, that with the step, too, which has the old time. */
		for (size_t i = 0; i < N_WINDOWS; i++)
			assert_int_equal(spans[i].end_ns - spans[i].start_ns, MINUTE);
		assert_int_equal(spans[2].start_ns, spans[1].end_ns);
		assert_int_equal(spans[3].start_ns, spans[2].end_ns + (uint64_t)by[k]);
		assert_int_equal(spans[4].start_ns, spans[3].end_ns);
		expect_all_kept(spans);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_touch_while_nobody_sets_the_clock),
		cmocka_unit_test(a_step_of_the_clock_loses_and_doubles_no_window),
	};
	return cmocka_run_group_tests(tests, new_folder_set_up, new_folder_tear_down);
}
