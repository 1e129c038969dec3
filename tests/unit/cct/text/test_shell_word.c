#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/text/shell_word.h"

static void words_are_quoted_where_a_shell_would_change_them(void **state)
{
	static const struct {
		const char *word, *written;
	} cases[] = {
		{ "dendro.data", "dendro.data" },
		{ "/tmp/a-b_c@1:2,3+4=5%.cct", "/tmp/a-b_c@1:2,3+4=5%.cct" },
		{ "", "''" },
		{ "my file", "'my file'" },
		{ "it's", "'it'\\''s'" },
		{ "$(id)", "'$(id)'" },
		{ "~x", "'~x'" },
		{ "a\\b", "'a\\b'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		shell_word_write(out, cases[i].word, strlen(cases[i].word));
		assert_int_equal(fclose(out), 0);
		assert_string_equal(text, cases[i].written);
		free(text);
	}
}

static void a_list_of_commands_is_cut_outside_of_quotes(void **state)
{
	static const struct {
		const char *list, *commands; /* each in brackets */
	} cases[] = {
		{ "true", "[true]" },
		{ "", "[]" },
		{ "a; b c; d", "[a][b c][d]" },
		{ "sh -c 'a; b'; ls", "[sh -c 'a; b'][ls]" },
		{ "sh -c 'it'\\''s; b'; ls", "[sh -c 'it'\\''s; b'][ls]" },
		{ "a\\; b", "[a\\; b]" },
		{ "echo 'open; b", "[echo 'open; b]" },
		{ "a;b", "[a;b]" },
		{ "a; ", "[a][]" },
		{ "a\\", "[a\\]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char commands[64] = "";

		for (const char *at = cases[i].list, *rest; at; at = rest) {
			const size_t length = shell_list_next(at, &rest), used = strlen(commands);

			snprintf(commands + used, sizeof(commands) - used, "[%.*s]", (int)length,
				 at);
		}
		assert_string_equal(commands, cases[i].commands);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_quoted_where_a_shell_would_change_them),
		cmocka_unit_test(a_list_of_commands_is_cut_outside_of_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
