#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/agent/window_name.h"

#define MS 1000000ull

/* 2026-11-27 02:10:00 UTC is 1795745400 s since 1970 (date -u -d ... +%s). */
static const struct {
	struct time_span span;
	const char *name;
} names[] = {
	{ { 1795745400000 * MS, 1795745460000 * MS }, "20261127T021000.000Z+60.000s.cct" },
	{ { 1795745400007 * MS, 1795745400008 * MS }, "20261127T021000.007Z+0.001s.cct" },
	{ { 0, 86400000 * MS }, "19700101T000000.000Z+86400.000s.cct" },
};

static void a_name_has_begin_and_duration(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char name[WINDOW_NAME_MAX];
		struct time_span span;

		window_name_write(name, &names[i].span);
		assert_string_equal(name, names[i].name);
		assert_int_equal(window_name_parse(name, &span), 0);
		assert_int_equal(span.start_ns, names[i].span.start_ns);
		assert_int_equal(span.end_ns, names[i].span.end_ns);
	}
}

static void parts_of_milliseconds_are_in_it(void **state)
{
	const struct time_span span = { 1795745400000 * MS + 1, 1795745401000 * MS + 1 };
	char name[WINDOW_NAME_MAX];

	(void)state;
	window_name_write(name, &span);
	assert_string_equal(name, "20261127T021000.000Z+1.001s.cct");
}

static void other_names_are_none(void **state)
{
	static const char *const others[] = {
		"",
		".lock",
		"0.tmp",
		"20261127T021000.000Z+60.000s",
		"20261127T021000.000Z+60.000s.cct.old",
		"20261127T021000.000Z+60s.cct",
		"20261127T021000.000Z+60.000m.cct",
		"20261127T021000.000Z+0.000s.cct",
		"20261127T021000.000Z+-1.000s.cct",
		"20261127T021000.000Z+99999999999999999999.000s.cct",
		"20261127T021000.000+60.000s.cct",
		"20261127 021000.000Z+60.000s.cct",
		"20261327T021000.000Z+60.000s.cct",
		"20261127T021061.000Z+60.000s.cct",
		"20260231T021000.000Z+60.000s.cct",
		"20261127T021000.00xZ+60.000s.cct",
		" 0261127T021000.000Z+60.000s.cct",
		"19691231T235959.000Z+60.000s.cct",
		"20261127T021000.000Z+60.000ss.cct",
		"20261127T021000.000Z+000000000000000000000000000000000060.000s.cct",
	};
	struct time_span span = { 1, 2 };

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(window_name_parse(others[i], &span), -EINVAL);
	assert_int_equal(span.start_ns, 1);
	assert_int_equal(span.end_ns, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_has_begin_and_duration),
		cmocka_unit_test(parts_of_milliseconds_are_in_it),
		cmocka_unit_test(other_names_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
