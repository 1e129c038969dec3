/* Names in the format, and what is said if nothing can be written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/feedback/clang_profile.h"
#include "report/feedback/code_lines.h"
#include "tests/unit/fixtures/letter_profile.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void names_end_at_the_first_dot_and_hostile_ones_are_refused(void **state)
{
	static const struct {
		const char *symbol, *name;
	} cases[] = {
		{ "main", "main" },
		{ "_ZN2ns1fEv", "_ZN2ns1fEv" },
		{ "f.cold.1", "f" },
		{ "f.llvm.123", "f" },
		{ "f.__uniq.123", "f.__uniq.123" },
		{ "f.__uniq.123.cold", "f.__uniq.123" },
		{ ".__uniq.123", NULL },
		{ "$f", "$f" },
		{ "gr\xc3\xb6\xc3\x9f"
		  "e",
		  "gr\xc3\xb6\xc3\x9f"
		  "e" },
		{ "", NULL },
		{ ".f", NULL },
		{ "1f", NULL },
		{ "#f", NULL },
		{ "!f", NULL },
		{ "[f]", NULL },
		{ "a name", NULL },
		{ "a:1", NULL },
		{ "a\nf:1:1", NULL },
		{ "a\x1b[31m", NULL },
		{ "a\xff", NULL },
		{ "a\xe2\x80\xae", NULL },
	};
	char *name = malloc(CODE_NAME_MAX);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(clang_profile_name(cases[i].symbol, name), !!cases[i].name);
		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
	}
	char *symbol = calloc(1, CODE_NAME_MAX + 2);
	memset(symbol, 'x', CODE_NAME_MAX - 1);
	assert_true(clang_profile_name(symbol, name));
	symbol[CODE_NAME_MAX - 1] = 'x';
	assert_false(clang_profile_name(symbol, name));
	free(symbol);
	free(name);
}

static void without_debug_information_nothing_is_written_and_it_is_said(void **state)
{
	static const char *const metrics[] = { "cpu-clock" };
	struct letter_profile letters;
	char *text = NULL, *finding = NULL;
	size_t size;

	(void)state;
	letter_profile_init(&letters, metrics, 1);
	letter_profile_add(&letters, letter_profile_thread(&letters, 1, 1, "p"), "ab>C", 0, 5, 0);
	letter_profile_add(&letters, 0, "ab", 0, 5, 0);
	FILE *out = open_memstream(&text, &size);
	assert_int_equal(clang_profile_write(out, letters.profile, letters.symbolizer,
					     &(struct path_options){ .finding_ret = &finding }),
			 -ENODATA);
	fclose(out);
	assert_string_equal(text, "");
	assert_non_null(strstr(finding, "no sample is in code with lines in debug information"));
	free(finding);
	free(text);
	letter_profile_deinit(&letters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_end_at_the_first_dot_and_hostile_ones_are_refused),
		cmocka_unit_test(without_debug_information_nothing_is_written_and_it_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
