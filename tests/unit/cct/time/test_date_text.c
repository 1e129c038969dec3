#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "cct/time/date_text.h"

#define S 1000000000ull
/* Seconds since 1970 as `date -d` has them, in Berlin: 2026-11-27 12:30:00 and 2026-12-01 01:00. */
#define NOW       1795779000ull
#define FIRST_DAY 1796083200ull

static void expect(const char *text, uint64_t now_s, uint64_t seconds)
{
	uint64_t ns = 0;

	if (date_text_parse(text, now_s * S, &ns))
		fail_msg("'%s' is refused", text);
	if (ns != seconds * S)
		fail_msg("'%s' is %llu", text, (unsigned long long)(ns / S));
}

static void times_of_day_are_the_last_ones(void **state)
{
	(void)state;
	expect("12:30", NOW, NOW);
	expect("12:29", NOW, NOW - 60);
	expect("02:10:30", NOW, NOW - 37170);
	expect("12:31", NOW, NOW + 60 - 86400);
	/* On the first day of a month. */
	expect("23:59", FIRST_DAY, FIRST_DAY - 3660);
}

static void dates_are_local(void **state)
{
	(void)state;
	expect("2026-11-27 12:30", 0, NOW);
	expect("2026-11-27T12:30:05", 0, NOW + 5);
	expect("2026-11-27", 0, NOW - 45000);
	/* In summer the clock is an hour ahead. */
	expect("2026-07-01 00:00", 0, 1782856800);
}

static void others_are_so_long_ago(void **state)
{
	(void)state;
	expect("now", NOW, NOW);
	expect("-2h", NOW, NOW - 7200);
	expect("-90", NOW, NOW - 90);
	expect("-3d", NOW, NOW - 3 * 86400);
	expect("-1.5m", NOW, NOW - 90);
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"2:10",
		"02:60",
		"24:00",
		"02:10:60",
		"02:10x",
		"2026-13-01",
		"2026-00-10",
		"2026-02-30",
		"2026-11-00",
		"2026-11",
		"2026-11-27 ",
		"2026-11-27x",
		"-",
		"-d",
		"-2x",
		"-99999999d",
		"yesterday",
		"2026-11-27 25:00",
		/* The clock goes from 02:00 to 03:00. */
		"2026-03-29 02:30",
	};
	uint64_t ns = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (date_text_parse(texts[i], NOW * S, &ns) != -EINVAL)
			fail_msg("'%s' is a time", texts[i]);
	}
	assert_int_equal(ns, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_of_day_are_the_last_ones),
		cmocka_unit_test(dates_are_local),
		cmocka_unit_test(others_are_so_long_ago),
		cmocka_unit_test(what_is_no_time_is_refused),
	};

	/* The rule of Berlin, which needs no database of time zones. */
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
