#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/base/hex.h"

static const uint8_t bytes[] = { 0x00, 0x01, 0x9f, 0xa0, 0xff };

static void bytes_become_two_digits_each(void **state)
{
	(void)state;
	char text[2 * sizeof(bytes) + 1];

	hex_format(bytes, sizeof(bytes), text);
	assert_string_equal(text, "00019fa0ff");
	hex_format(bytes, 0, text);
	assert_string_equal(text, "");
}

static void bytes_are_written_to_a_file(void **state)
{
	(void)state;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	hex_write(out, bytes, sizeof(bytes));
	fclose(out);
	assert_string_equal(text, "00019fa0ff");
	free(text);
}

static void digits_of_either_case_become_bytes(void **state)
{
	(void)state;
	uint8_t parsed[sizeof(bytes)];

	assert_true(hex_parse("00019fa0ff and more", sizeof(bytes), parsed));
	assert_memory_equal(parsed, bytes, sizeof(bytes));
	assert_true(hex_parse("00019FA0fF", sizeof(bytes), parsed));
	assert_memory_equal(parsed, bytes, sizeof(bytes));
}

static void what_is_not_a_digit_is_refused(void **state)
{
	(void)state;
	const char *const wrong[] = { "",   "0",  "0x",       "g0", "0g", " 0",
				      "-1", "+1", "\xb1\xb1", "@@", "``" };
	uint8_t parsed;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(hex_parse(wrong[i], 1, &parsed));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_become_two_digits_each),
		cmocka_unit_test(bytes_are_written_to_a_file),
		cmocka_unit_test(digits_of_either_case_become_bytes),
		cmocka_unit_test(what_is_not_a_digit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
