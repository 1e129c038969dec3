#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/verify/verify_folded.h"

static void lines_are_stacks_with_a_cost_and_problems_name_the_line(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "", NULL },
		{ "a;b c 10\nd 0\n", NULL },
		{ "comm;f(int, int) 18446744073709551615\n", NULL },
		{ "a;b\n", "line 1 has no cost" },
		{ "a 1\nb x\n", "line 2 does not end in a number" },
		{ "a -1\n", "line 1 does not end in a number" },
		{ "a 1 \n", "line 1 does not end in a number" },
		{ "a 18446744073709551616\n", "line 1 does not end in a number" },
		{ "a;;b 1\n", "line 1 has a frame without a name" },
		{ ";a 1\n", "line 1 has a frame without a name" },
		{ "a; 1\n", "line 1 has a frame without a name" },
		{ " 1\n", "line 1 has no stack" },
		{ "a\tb 1\n", "line 1 has a control character" },
		{ "a\xff 1\n", "line 1 is not UTF-8" },
		{ "a 1\nb 2", "line 2 does not end: the file is cut" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verification verification = { 0 };

		verify_folded(&verification, (const uint8_t *)cases[i].text, strlen(cases[i].text));
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
		cmocka_unit_test(lines_are_stacks_with_a_cost_and_problems_name_the_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
