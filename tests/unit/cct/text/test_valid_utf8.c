#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/text/valid_utf8.h"

static void malformed_bytes_are_replaced_and_all_else_stays(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "", "" },
		{ "plain \x1b[31m", "plain \x1b[31m" },
		{ "\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9" },
		{ "a\xff", "a\xef\xbf\xbd" },
		{ "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc0\x80x", "\xef\xbf\xbd\xef\xbf\xbdx" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *copy = valid_utf8(cases[i].text);

		assert_non_null(copy);
		assert_string_equal(copy, cases[i].expected);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_bytes_are_replaced_and_all_else_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
