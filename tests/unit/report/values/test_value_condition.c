#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/values/value_condition.h"

static struct value_text value_of(enum value_scalar scalar, uint64_t word, double number)
{
	return (struct value_text){ .scalar = scalar, .word = word, .number = number };
}

/* A pointer to a text, as value_text_write() leaves it. */
static struct value_text string_of(const char *escaped, enum value_string string)
{
	struct value_text value = value_of(SCALAR_UNSIGNED, 0x1000, 0);

	value.n = (size_t)snprintf(value.text, sizeof(value.text), "0x1000 \"%s\"", escaped);
	value.string = string;
	value.string_at = 8;
	value.n_string = strlen(escaped);
	return value;
}

/* 1: holds, 0: does not, -1: not known, -2: cannot be compared. */
static int test(const char *text, const struct value_text *value)
{
	struct value_condition condition;
	bool holds = false;
	Dwarf_Die type = { 0 };

	assert_null(value_condition_parse(&condition, text));
	enum debug_reason reason = value_condition_test(&condition, value, &type, &holds);
	if (reason)
		return reason == DEBUG_NO_SUCH_PART ? -2 : -1;
	return holds;
}

static void the_function_ends_at_the_first_single_colon(void **state)
{
	static const struct {
		const char *text, *function, *expression;
	} cases[] = {
		{ "f:x == 1", "f", "x" },
		{ "ns::f<a::b>:p->kind>3", "ns::f<a::b>", "p->kind" },
		{ "operator<(int, int):x<=3", "operator<(int, int)", "x" },
		{ "a::b::c : (*p).a[3] != 0x1F", "a::b::c", "(*p).a[3]" },
		{ "f:s == \"a:b == c\"", "f", "s" },
		{ "f:k == ns::Kind::STRING", "f", "k" },
	};
	struct value_condition condition;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_null(value_condition_parse(&condition, cases[i].text));
		assert_string_equal(condition.subject.function, cases[i].function);
		assert_string_equal(condition.subject.expression.text, cases[i].expression);
	}
	assert_string_equal(condition.text, "STRING");
}

static void what_is_no_condition_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"x == 1",
		":x == 1",
		" :x == 1",
		"f:x",
		"f:x = 1",
		"f:x ==",
		"f: == 1",
		"f:x == 1 2",
		"f:x == 1x",
		"f:x == 18446744073709551616",
		"f:x == -9223372036854775809",
		"f:x == 1e999",
		"f:x == 0x",
		"f:x == -",
		"f:x == \"a",
		"f:x == \"a\\",
		"f:x == ''",
		"f:x == 'ab'",
		"f:x < \"a\"",
		"f:x >= RED",
		"f:x === 1",
		"f:x == a::",
		"f::x == 1",
		"f:x + 1 == 1",
		"f:x == \"12345678901234567890123456789012345678901\"",
	};
	struct value_condition condition;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_non_null(value_condition_parse(&condition, texts[i]));
}

static void integers_are_compared_exactly(void **state)
{
	const struct value_text large = value_of(SCALAR_UNSIGNED, UINT64_MAX, 0);
	const struct value_text minus = value_of(SCALAR_SIGNED, (uint64_t)-5, 0);
	const struct value_text least = value_of(SCALAR_SIGNED, (uint64_t)INT64_MIN, 0);
	const struct value_text zero = value_of(SCALAR_SIGNED, 0, 0);

	(void)state;
	assert_int_equal(test("f:x == 18446744073709551615", &large), 1);
	assert_int_equal(test("f:x > 18446744073709551614", &large), 1);
	assert_int_equal(test("f:x == -1", &large), 0);
	assert_int_equal(test("f:x > -1", &large), 1);
	assert_int_equal(test("f:x == 0xffffffffffffffff", &large), 1);
	assert_int_equal(test("f:x == -5", &minus), 1);
	assert_int_equal(test("f:x < -4", &minus), 1);
	assert_int_equal(test("f:x > -6", &minus), 1);
	assert_int_equal(test("f:x < -0", &minus), 1);
	assert_int_equal(test("f:x < 18446744073709551615", &minus), 1);
	assert_int_equal(test("f:x == -9223372036854775808", &least), 1);
	assert_int_equal(test("f:x == -0", &zero), 1);
	assert_int_equal(test("f:x >= +0", &zero), 1);
	assert_int_equal(test("f:x != NULL", &zero), 0);
	assert_int_equal(test("f:x == '\\0'", &zero), 1);
	assert_int_equal(test("f:x < 'a'", &zero), 1);
}

static void floating_point_numbers_are_compared_with_integers(void **state)
{
	const struct value_text half = value_of(SCALAR_FLOAT, 0, 0.5);
	const struct value_text nan = value_of(SCALAR_FLOAT, 0, 0.0 / 0.0);
	const struct value_text large = value_of(SCALAR_UNSIGNED, (1ull << 53) + 1, 0);

	(void)state;
	assert_int_equal(test("f:x == .5", &half), 1);
	assert_int_equal(test("f:x < 1", &half), 1);
	assert_int_equal(test("f:x > -5e-1", &half), 1);
	assert_int_equal(test("f:x > 9007199254740992.0", &large), 1);
	assert_int_equal(test("f:x == 1", &nan), 0);
	assert_int_equal(test("f:x != 1", &nan), 1);
	assert_int_equal(test("f:x <= 1", &nan), 0);
}

static void texts_are_compared_as_far_as_they_are_known(void **state)
{
	const struct value_text warm = string_of("warm", STRING_WHOLE);
	const struct value_text longer =
		string_of("1234567890123456789012345678901234567890", STRING_LONGER);
	const struct value_text unread = string_of("wa", STRING_UNREAD);
	const struct value_text escaped = string_of("a\\\"\\\\\\012b", STRING_WHOLE);
	struct value_text null = string_of("", STRING_UNREAD);

	(void)state;
	null.word = 0;
	assert_int_equal(test("f:s == \"warm\"", &warm), 1);
	assert_int_equal(test("f:s == \"war\"", &warm), 0);
	assert_int_equal(test("f:s == \"warmer\"", &warm), 0);
	assert_int_equal(test("f:s != \"cold\"", &warm), 1);
	assert_int_equal(test("f:s == \"1234567890123456789012345678901234567890\"", &longer), 0);
	assert_int_equal(test("f:s == \"wa\"", &unread), -1);
	assert_int_equal(test("f:s == \"warm\"", &unread), -1);
	assert_int_equal(test("f:s == \"cold\"", &unread), 0);
	assert_int_equal(test("f:s != \"w\"", &unread), 1);
	assert_int_equal(test("f:s == \"a\\\"\\\\\\nb\"", &escaped), 1);
	assert_int_equal(test("f:s == \"a\\\"\\x5c\\12b\"", &escaped), 1);
	assert_int_equal(test("f:s == \"\"", &null), 0);
	assert_int_equal(test("f:s == NULL", &null), 1);
}

static void what_has_no_such_value_cannot_be_compared(void **state)
{
	const struct value_text parts = value_of(SCALAR_NONE, 0, 0);
	const struct value_text number = value_of(SCALAR_SIGNED, 3, 0);

	(void)state;
	assert_int_equal(test("f:x == 1", &parts), -2);
	assert_int_equal(test("f:x == \"a\"", &parts), -2);
	assert_int_equal(test("f:x == RED", &parts), -2);
	assert_int_equal(test("f:x == \"3\"", &number), -2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_function_ends_at_the_first_single_colon),
		cmocka_unit_test(what_is_no_condition_is_refused),
		cmocka_unit_test(integers_are_compared_exactly),
		cmocka_unit_test(floating_point_numbers_are_compared_with_integers),
		cmocka_unit_test(texts_are_compared_as_far_as_they_are_known),
		cmocka_unit_test(what_has_no_such_value_cannot_be_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
