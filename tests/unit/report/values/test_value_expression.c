#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/values/value_expression.h"

/* Steps as text: "p * .a [3]" */
static void write_steps(const struct value_expression *expression, char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, "%s", expression->variable);

	for (size_t i = 0; i < expression->n_steps; i++) {
		const struct value_step *step = &expression->steps[i];

		if (step->kind == STEP_MEMBER)
			n += (size_t)snprintf(text + n, size - n, " .%s", step->name);
		else if (step->kind == STEP_ELEMENT)
			n += (size_t)snprintf(text + n, size - n, " [%d]", (int)step->index);
		else
			n += (size_t)snprintf(text + n, size - n, " *");
	}
}

static void steps_are_taken_in_the_order_of_c(void **state)
{
	static const struct {
		const char *text, *steps;
	} cases[] = {
		{ "x", "x" },
		{ "*p", "p *" },
		{ "**p", "p * *" },
		{ "p->a", "p * .a" },
		{ "p . a", "p .a" },
		{ "a[3][-2]", "a [3] [-2]" },
		{ "*p->a", "p * .a *" },
		{ "(*p).a", "p * .a" },
		{ "((*(*p).a[1]))->b", "p * .a [1] * * .b" },
		{ "*(p)[2]", "p [2] *" },
		{ " this -> member_2 ", "this * .member_2" },
	};
	struct value_expression expression;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_null(value_expression_parse(&expression, cases[i].text));
		write_steps(&expression, text, sizeof(text));
		assert_string_equal(text, cases[i].steps);
		assert_string_equal(expression.text, cases[i].text);
	}
}

static void what_is_no_expression_is_refused(void **state)
{
	static const char *const texts[] = {
		"",      " ",   "*",     "1",     "p->", "p.",
		"a[",    "a[]", "a[b]",  "a[1",   "(p",  "p)",
		"p + 1", "f()", "(*p)*", "p->*a", "a.1", "a[99999999999999999999]"
	};
	struct value_expression expression;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_non_null(value_expression_parse(&expression, texts[i]));
}

static void what_is_too_long_is_refused(void **state)
{
	static const char *const parts[] = { "*", "(", "a.", "a" };
	struct value_expression expression;
	char text[4 * VALUE_EXPRESSION_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		*text = 0;
		while (strlen(text) <= VALUE_EXPRESSION_MAX)
			strcat(text, parts[i]);
		strcat(text, "x");
		assert_string_equal(value_expression_parse(&expression, text), "is too long");
	}
	/* As long as it may be, with too many steps. */
	*text = 0;
	for (size_t i = 0; i < 60; i++)
		strcat(text, "a.");
	strcat(text, "x");
	assert_string_equal(value_expression_parse(&expression, text), "is too long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_taken_in_the_order_of_c),
		cmocka_unit_test(what_is_no_expression_is_refused),
		cmocka_unit_test(what_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
