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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_quoted_where_a_shell_would_change_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
