#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/verify/verify_clang_profile.h"

static void lines_are_functions_or_places_and_problems_name_the_line(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "", NULL },
		{ "f:0:0\n", NULL },
		{ "# comment\nf:10:2\n 1: 10 g:4 h:6\n 2.3: i:5\n  4: 5\n 5: 1\ng:1:1\n", NULL },
		{ "f:1:1\n !CFGChecksum: 5\n", NULL },
		{ "[a:1 @ b]:1:1\n 1: 1\n", NULL },
		{ "f:18446744073709551615:0\n 65535.4294967295: 1\n", NULL },
		{ "f:1\n", "line 1 begins a function, but does not end in two numbers" },
		{ "f:1:x\n", "line 1 begins a function, but does not end in two numbers" },
		{ "f:1:18446744073709551616\n",
		  "line 1 begins a function, but does not end in two numbers" },
		{ ":1:1\n", "line 1 has a function without a name" },
		{ "\n", "line 1 is empty" },
		{ " 1: 1\n", "line 1 is deeper than the function before it" },
		{ "f:1:1\n  1: 1\n", "line 2 is deeper than the function before it" },
		{ "f:1:1\n 1: g:1\n  1: 1\n 1: 1\n  1: 1\n",
		  "line 5 is deeper than the function before it" },
		{ "f:1:1\n x: 1\n", "line 2 does not begin with a line and a discriminator" },
		{ "f:1:1\n 65536: 1\n", "line 2 does not begin with a line and a discriminator" },
		{ "f:1:1\n 1.: 1\n", "line 2 does not begin with a line and a discriminator" },
		{ "f:1:1\n 1:1\n", "line 2 does not begin with a line and a discriminator" },
		{ "f:1:1\n 1\n", "line 2 does not begin with a line and a discriminator" },
		{ "f:1:1\n 1: 1x\n", "line 2 has a count that is no number" },
		{ "f:1:1\n 1: 1 g\n", "line 2 has a called function without a count" },
		{ "f:1:1\n 1: 1  g:1\n", "line 2 has a called function without a count" },
		{ "f:1:1\n 1: 1 :1\n", "line 2 has a called function without a name" },
		{ "f:1:1\n 1: g h:1\n", "line 2 has a name with a blank" },
		{ "f:1:1\n 1: g\n",
		  "line 2 has neither a count nor an inlined function with its total" },
		{ "f:1:1\n 1: \n",
		  "line 2 has neither a count nor an inlined function with its total" },
		{ "f\xff:1:1\n", "line 1 is not UTF-8" },
		{ "f:1:1\n 1: 1", "line 2 does not end: the file is cut" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verification verification = { 0 };

		verify_clang_profile(&verification, (const uint8_t *)cases[i].text,
				     strlen(cases[i].text));
		if (cases[i].problem) {
			assert_non_null(verification.problem);
			assert_string_equal(verification.problem, cases[i].problem);
		} else {
			assert_null(verification.problem);
		}
		verification_deinit(&verification);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_functions_or_places_and_problems_name_the_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
