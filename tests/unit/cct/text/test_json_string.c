#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/base/printable.h"
#include "cct/text/json_string.h"

static const struct {
	const char *text, *json, *printable;
} cases[] = {
	{ "", "\"\"", "\"\"" },
	{ "a\"b\\c", "\"a\\\"b\\\\c\"", "\"a\\\"b\\\\c\"" },
	{ "\x1b[31m\n", "\"\\u001b[31m\\u000a\"", "\"\\\\x1b[31m\\\\x0a\"" },
	{ "caf\xc3\xa9", "\"caf\xc3\xa9\"", "\"caf\xc3\xa9\"" },
	{ "\xe2\x80\xae\xe2\x80\x8f.", "\"\\u202e\\u200f.\"", "\"\\\\u202e\\\\u200f.\"" },
	{ "\xd8\x9c\xe2\x81\xa9", "\"\\u061c\\u2069\"", "\"\\\\u061c\\\\u2069\"" },
	{ "\xff\xe2\x82", "\"\\ufffd\\ufffd\\ufffd\"", "\"\\\\xff\\\\xe2\\\\x82\"" },
};

static void assert_written(void (*write)(FILE *out, const char *text), const char *text,
			   const char *expected)
{
	char *json = NULL;
	size_t size;
	FILE *out = open_memstream(&json, &size);

	assert_non_null(out);
	write(out, text);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(json, expected);
	free(json);
}

static void programs_get_the_text_and_viewers_visible_escapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_written(json_write_string, cases[i].text, cases[i].json);
		assert_written(json_write_printable, cases[i].text, cases[i].printable);
	}
}

static void a_printable_copy_is_what_a_terminal_shows(void **state)
{
	char *copy = printable_copy("caf\xc3\xa9 \xe2\x80\xae\x1b\xff");

	(void)state;
	assert_non_null(copy);
	assert_string_equal(copy, "caf\xc3\xa9 \\u202e\\x1b\\xff");
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_get_the_text_and_viewers_visible_escapes),
		cmocka_unit_test(a_printable_copy_is_what_a_terminal_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
