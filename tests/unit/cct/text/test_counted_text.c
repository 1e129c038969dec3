#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cct/text/counted_text.h"

static void words_are_those_of_the_number(void **state)
{
	static const struct {
		const char *text;
		uint64_t count;
		const char *expected;
	} cases[] = {
		{ "{path contains|paths contain} a guess", 1, "path contains a guess" },
		{ "{path contains|paths contain} a guess", 0, "paths contain a guess" },
		{ "{path contains|paths contain} a guess", 2, "paths contain a guess" },
		{ "{it|they} lost {its|their} time", 1, "it lost its time" },
		{ "{it|they} lost {its|their} time", UINT64_MAX, "they lost their time" },
		{ "thread{|s}", 1, "thread" },
		{ "thread{|s}", 3, "threads" },
		{ "complete", 1, "complete" },
		{ "", 1, "" },
	};
	char buffer[COUNTED_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(counted_text(cases[i].text, cases[i].count, buffer),
				    cases[i].expected);
}

static void what_does_not_fit_is_left_out(void **state)
{
	char text[2 * COUNTED_TEXT_SIZE], buffer[COUNTED_TEXT_SIZE];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(strlen(counted_text(text, 1, buffer)), COUNTED_TEXT_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_those_of_the_number),
		cmocka_unit_test(what_does_not_fit_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
