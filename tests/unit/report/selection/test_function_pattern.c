/* What a pattern looks for first changes nothing: it matches what the regular expression does. */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/selection/function_pattern.h"

#define N_TRIALS 20000

static uint64_t seed = 49979687;

/* xorshift64*, by Marsaglia and Vigna: the same numbers in each run. */
static uint32_t random_below(uint32_t n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)(seed * 0x2545f4914f6cdd1du >> 40) % n;
}

static void make_text(const char *letters, uint32_t max, char *text)
{
	const uint32_t n = random_below(max + 1);

	for (uint32_t i = 0; i < n; i++)
		text[i] = letters[random_below((uint32_t)strlen(letters))];
	text[n] = '\0';
}

static void each_matches_as_its_expression(void **state)
{
	size_t n_matches = 0, n_required = 0;

	(void)state;
	for (int trial = 0; trial < N_TRIALS; trial++) {
		struct function_pattern pattern;
		struct function_names names;
		char text[16], name[16], error[64];
		regex_t regex;

		make_text(trial % 2 ? "ab.*+?^$" : "aabb.*?|()[]{1\\ ", 7, text);
		make_text("ab", 8, name);
		if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
			continue;
		assert_int_equal(function_pattern_init_regex(&pattern, text, error, sizeof(error)),
				 0);
		assert_int_equal(function_names_init(&names, name, NULL), 0);
		const bool matches = regexec(&regex, name, 0, NULL, 0) == 0 ||
				     regexec(&regex, names.shown, 0, NULL, 0) == 0;
		assert_int_equal(function_pattern_matches(&pattern, &names), matches);
		n_matches += matches;
		n_required += pattern.required != NULL;
		function_names_deinit(&names);
		function_pattern_deinit(&pattern);
		regfree(&regex);
	}
	assert_true(n_matches > 1000);
	assert_true(n_required > 1000);
}

static void the_longest_text_is_looked_for(void **state)
{
	static const struct {
		const char *regex, *required;
	} cases[] = {
		{ "json.*lock", "json" },
		{ "^read_all$", "read_all" },
		{ "ab*cde?", "cd" },
		{ "ab+?", "a" },
		{ "a|b", NULL },
		{ "f(oo)?", NULL },
		{ ".*", NULL },
		{ "", NULL },
		{ "x", "x" },
		{ "operator new", "operator" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct function_pattern pattern;
		char error[64];

		assert_int_equal(
			function_pattern_init_regex(&pattern, cases[i].regex, error, sizeof(error)),
			0);
		if (cases[i].required)
			assert_string_equal(pattern.required, cases[i].required);
		else
			assert_null(pattern.required);
		function_pattern_deinit(&pattern);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_matches_as_its_expression),
		cmocka_unit_test(the_longest_text_is_looked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
