#include <linux/hw_breakpoint.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/catalog/event_parse.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static void breakpoints_encode_as_perf_does(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint64_t addr, length;
		uint32_t access;
	} cases[] = {
		{ "mem:0x1000", 0x1000, 4, HW_BREAKPOINT_RW },
		{ "mem:4096:w", 0x1000, 4, HW_BREAKPOINT_W },
		{ "mem:0x1000:rw", 0x1000, 4, HW_BREAKPOINT_RW },
		{ "mem:0x1000:wr", 0x1000, 4, HW_BREAKPOINT_RW },
		{ "mem:0x1000/8:r", 0x1000, 8, HW_BREAKPOINT_R },
		{ "mem:0x1000/1:w:u", 0x1000, 1, HW_BREAKPOINT_W },
		{ "mem:0x1000:x", 0x1000, sizeof(long), HW_BREAKPOINT_X },
		{ "mem:0xffffffff81000000:x:k", 0xffffffff81000000, sizeof(long), HW_BREAKPOINT_X },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event *events = NULL;
		size_t n_events = 0;
		char *error_text;

		assert_int_equal(event_parse(cases[i].name, &events, &n_events, &error_text),
				 EVENT_OK);
		assert_int_equal(n_events, 1);
		assert_int_equal(events[0].attr.type, PERF_TYPE_BREAKPOINT);
		assert_int_equal(events[0].attr.bp_addr, cases[i].addr);
		assert_int_equal(events[0].attr.bp_len, cases[i].length);
		assert_int_equal(events[0].attr.bp_type, cases[i].access);
		events_destroy(events, n_events);
	}
}

static void text_that_is_not_a_breakpoint_is_refused(void **state)
{
	(void)state;
	static const char *const names[] = {
		"mem:",           "mem:x",         "mem:-1",         "mem: 1",
		"mem:0x1000/3:w", "mem:0x1000/:w", "mem:0x1000/8:x", /* an instruction has no length
									to choose */
		"mem:0x1000:wx",  "mem:0x1000:ww", "mem:0x1000:rq",  "mem:0x10000000000000000",
		"mem:0x1000 w",
	};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event *events = NULL;
		size_t n_events = 0;
		char *error_text;

		assert_int_equal(event_parse(names[i], &events, &n_events, &error_text),
				 EVENT_BAD_MODIFIER);
		assert_non_null(strstr(error_text, "mem:ADDRESS"));
		free(error_text);
		events_destroy(events, n_events);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(breakpoints_encode_as_perf_does),
		cmocka_unit_test(text_that_is_not_a_breakpoint_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
