#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/verify/json_reader.h"

/* Reads a value without taking it, from bytes with nothing after them. */
static char *problem_of(const char *json)
{
	struct verification verification = { 0 };
	const size_t size = strlen(json);
	uint8_t *bytes = malloc(size + 1);
	struct json_reader reader = { &verification, bytes, size, 0 };

	assert_non_null(bytes);
	bytes = realloc(memcpy(bytes, json, size), size ? size : 1);
	reader.bytes = bytes;
	if (json_skip(&reader))
		json_finish(&reader);
	free(bytes);
	return verification.problem;
}

static void what_is_no_json_is_found_at_its_byte(void **state)
{
	static const struct {
		const char *json, *problem;
	} cases[] = {
		{ "[1, -0.5e+3, \"\\u00e9\\ud83c\\udf32\", {\"a\":null,\"b\":[true,false]}]\n",
		  NULL },
		{ "{}", NULL },
		{ "\"caf\xc3\xa9\"", NULL },
		{ "", "byte 0: the file is cut, a value is missing" },
		{ "[1,]", "byte 3: a value is malformed, or missing" },
		{ "[1 2]", "byte 3: ',' is missing" },
		{ "[1", "byte 2: the file is cut, ',' is missing" },
		{ "{\"a\" 1}", "byte 5: ':' is missing" },
		{ "{1:2}", "byte 1: there is no string" },
		{ "1 1", "byte 2: something follows the end" },
		{ "01", "byte 2: a number is malformed" },
		{ "-", "byte 1: a number is malformed" },
		{ "1.", "byte 2: a number is malformed" },
		{ "1e", "byte 2: a number is malformed" },
		{ "1e9999", "byte 6: a number is out of range" },
		{ "nul", "byte 0: a value is malformed, or missing" },
		{ "\"a", "byte 1: a string does not end: the file is cut" },
		{ "\"a\\\"", "byte 1: a string does not end: the file is cut" },
		{ "\"\xff\"", "byte 1: a string is not UTF-8" },
		{ "\"\xe2\x82\"", "byte 1: a string is not UTF-8" },
		{ "\"\n\"", "byte 1: a string has a control character" },
		{ "\"\\u0000\"", "byte 7: a string has a zero character" },
		{ "\"\\udc00\"", "byte 7: a string has half a character" },
		{ "\"\\ud83c-\"", "byte 7: a value is malformed, or missing" },
		{ "\"\\x41\"", "byte 3: a string has a malformed escape" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *problem = problem_of(cases[i].json);

		if (cases[i].problem) {
			assert_non_null(problem);
			assert_string_equal(problem, cases[i].problem);
		} else {
			assert_null(problem);
		}
		free(problem);
	}
}

static void depth_is_bounded(void **state)
{
	char deep[4096];

	(void)state;
	memset(deep, '[', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	char *problem = problem_of(deep);
	assert_string_equal(problem, "byte 64: objects and arrays are too deep in one another");
	free(problem);
}

static void numbers_have_their_values(void **state)
{
	static const char json[] = "[12.25, -1e3, 25e-1, 18446744073709551614, -1, null, 7]";
	struct verification verification = { 0 };
	struct json_reader reader = { &verification, (const uint8_t *)json, sizeof(json) - 1, 0 };
	struct json_items items;
	long double number = 0;
	uint64_t index = 0;

	(void)state;
	json_start(&reader, &items, JSON_ARRAY);
	assert_true(json_next(&reader, &items) && json_read_number(&reader, &number));
	assert_true(number == 12.25L);
	assert_true(json_next(&reader, &items) && json_read_number(&reader, &number));
	assert_true(number == -1000);
	assert_true(json_next(&reader, &items) && json_read_number(&reader, &number));
	assert_true(number == 2.5L);
	assert_true(json_next(&reader, &items) && json_read_index(&reader, &index));
	assert_int_equal(index, UINT64_MAX - 1);
	for (int i = 0; i < 2; i++) {
		assert_true(json_next(&reader, &items) && json_read_optional(&reader, &index));
		assert_int_equal(index, UINT64_MAX);
	}
	assert_true(json_next(&reader, &items) && json_read_optional(&reader, &index));
	assert_int_equal(index, 7);
	assert_false(json_next(&reader, &items));
	assert_true(json_finish(&reader));
	verification_deinit(&verification);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_json_is_found_at_its_byte),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(numbers_have_their_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
