#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/base/printable.h"

static const struct {
	const char *text, *shown;
} cases[] = {
	{ "", "" },
	{ "std::vector<int>", "std::vector<int>" },
	{ "Größe", "Größe" },
	{ "\033[31m", "\\x1b[31m" },
	{ "a\nb", "a\\x0ab" },
	{ "plain, then \xff", "plain, then \\xff" },
	{ "\xe2\x80\xae", "\\u202e" },
};

static void copies_are_as_a_terminal_may_show_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *copy = printable_copy(cases[i].text);

		assert_non_null(copy);
		assert_string_equal(copy, cases[i].shown);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_are_as_a_terminal_may_show_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
