#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/selection/path_selection.h"

static void names_are_split_at_commas_outside_of_brackets(void **state)
{
	static const struct {
		const char *text;
		const char *names[4];
	} cases[] = {
		{ "a", { "a" } },
		{ "a,b", { "a", "b" } },
		{ "a,b,a", { "a", "b", "a" } },
		{ "f(int, int),std::map<a, b>::at", { "f(int, int)", "std::map<a, b>::at" } },
		{ "[ab,c],operator->,b", { "[ab,c]", "operator->", "b" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct path_selection selection = { 0 };
		size_t n = 0;
		char *error;

		assert_int_equal(
			path_selection_add(&selection, PATH_THROUGH, cases[i].text, &error), 0);
		for (; n < 4 && cases[i].names[n]; n++)
			assert_string_equal(selection.patterns[n].text, cases[i].names[n]);
		assert_int_equal(selection.n_patterns, n);
		assert_int_equal(selection.conditions[0].n_patterns, n);
		path_selection_deinit(&selection);
	}
}

static void what_cannot_be_read_is_refused_with_the_reason(void **state)
{
	static const struct {
		enum condition_kind kind;
		const char *text, *reason;
	} cases[] = {
		{ PATH_FOCUS, "a(b", NULL }, /* the C library's words */
		{ PATH_HIDE, "[a", NULL },
		{ PATH_THROUGH, "", "a name is empty" },
		{ PATH_THROUGH, "a,", "a name is empty" },
		{ PATH_THROUGH, "a,,b", "a name is empty" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct path_selection selection = { 0 };
		char *error;
		int err = path_selection_add(&selection, cases[i].kind, cases[i].text, &error);

		assert_int_equal(err, -EINVAL);
		assert_true(error && *error);
		if (cases[i].reason)
			assert_string_equal(error, cases[i].reason);
		free(error);
		path_selection_deinit(&selection);
	}
}

static void a_selection_is_written_as_its_options(void **state)
{
	struct path_selection selection = { 0 };
	char *error;

	(void)state;
	assert_true(path_selection_is_empty(&selection));
	assert_int_equal(path_selection_add(&selection, PATH_HIDE, "^std::", &error), 0);
	assert_false(path_selection_excludes(&selection));
	assert_int_equal(path_selection_add(&selection, PATH_THROUGH, "a,b*", &error), 0);
	assert_true(path_selection_excludes(&selection));
	selection.has_caller_depth = true;
	selection.caller_depth = 3;
	char *text = path_selection_text(&selection);
	assert_string_equal(text, "--hide '^std::' --through 'a,b*' --caller-depth 3");
	free(text);
	path_selection_deinit(&selection);
	assert_true(path_selection_is_empty(&selection));
}

static bool matches(enum condition_kind kind, const char *text, const char *whole,
		    const char *symbol)
{
	struct path_selection selection = { 0 };
	struct function_names names;
	char *error;

	assert_int_equal(path_selection_add(&selection, kind, text, &error), 0);
	assert_int_equal(function_names_init(&names, whole, symbol), 0);
	bool does = function_pattern_matches(&selection.patterns[0], &names);
	function_names_deinit(&names);
	path_selection_deinit(&selection);
	return does;
}

static void a_function_has_its_whole_name_its_shown_one_and_its_symbol(void **state)
{
	const char *whole = "int ns::f<int>(int)", *symbol = "_ZN2ns1fIiEEii";

	(void)state;
	assert_true(matches(PATH_FOCUS, "^ns::f<int>$", whole, symbol));
	assert_true(matches(PATH_FOCUS, "^int ns::f", whole, symbol));
	assert_true(matches(PATH_FOCUS, "^_ZN2ns", whole, symbol));
	assert_false(matches(PATH_FOCUS, "^_ZN2ns", whole, NULL));
	assert_true(matches(PATH_FOCUS, "f<", whole, NULL));
	assert_false(matches(PATH_FOCUS, "^f<", whole, symbol));
	assert_true(matches(PATH_THROUGH, "ns::f<int>", whole, symbol));
	assert_true(matches(PATH_THROUGH, "ns::*", whole, symbol));
	assert_true(matches(PATH_THROUGH, "_ZN2ns1fIiEEii", whole, symbol));
	assert_false(matches(PATH_THROUGH, "f", whole, symbol));
	assert_true(matches(PATH_THROUGH, "[kernel]", "[kernel]", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_split_at_commas_outside_of_brackets),
		cmocka_unit_test(what_cannot_be_read_is_refused_with_the_reason),
		cmocka_unit_test(a_selection_is_written_as_its_options),
		cmocka_unit_test(a_function_has_its_whole_name_its_shown_one_and_its_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
