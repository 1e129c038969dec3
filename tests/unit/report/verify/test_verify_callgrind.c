#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/verify/verify_callgrind.h"

#define HEADER "version: 1\npositions: line\nevents: a b\n"

static void problems_name_their_line(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "# callgrind format\n" HEADER
		  "\nob=(1) o\nfl=(1) f\nfn=(1) (anonymous)\n3 1 2\n+1 4\n"
		  "cob=(1)\ncfi=(1)\ncfn=(2) g\ncalls=7 1\n3 100 200\n\nfn=(2)\n* 5\ntotals: 10 "
		  "2\n",
		  NULL },
		{ "positions: instr line\nevents: a\nfn=f\n0x40a 3 1\njump=1 0x40 3\n0x41 4\n"
		  "totals: 1\n",
		  NULL },
		{ HEADER "fn=(1)\ntotals: 0 0\n", "line 4 has a number that no name was given" },
		{ HEADER "fn=(1) f\nfl=(1)\n", "line 5 has a number that no name was given" },
		{ HEADER "fn=(1) f\ncfn=(1) g\n", "line 5 gives a number to a second name" },
		{ HEADER "fn=\n", "line 4 has an empty name" },
		{ HEADER "1 2\n", "line 4 has costs before a function is named" },
		{ "fn=f\n1 2\n", "line 2 has costs before the events are named" },
		{ HEADER "fn=f\n1 2 3 4\n", "line 5 has more costs than there are events" },
		{ HEADER "fn=f\n1 2 x\n", "line 5 has a cost that is no number" },
		{ HEADER "fn=f\nx 2\n",
		  "line 5 is none of the format, or its position is malformed" },
		{ HEADER "fn=f\n1 18446744073709551616\n", "line 5 has a cost that is no number" },
		{ HEADER "fn=f\n1 18446744073709551615\n1 1\n", "line 6 makes a sum too large" },
		{ HEADER "fn=f\ncalls=1 1\n",
		  "line 5 has calls, but no function that is called is before it" },
		{ HEADER "fn=f\ncfn=g\nfn=h\n",
		  "line 6 names a function, but calls of the one before it are missing" },
		{ HEADER "fn=f\ncfn=g\ncalls=x 1\n",
		  "line 6 has a number of calls that is malformed" },
		{ HEADER "fn=f\ncfn=g\ncalls=1\n",
		  "line 6 has a position of the call that is malformed" },
		{ HEADER "fn=f\n1 2\ntotals: 3 0\n",
		  "line 6 has a total that is not the sum of the costs" },
		{ HEADER "fn=f\n1 2\ntotals: x\n", "line 6 has a total that is no number" },
		{ HEADER "events: c\n", "line 4 names the events a second time" },
		{ "events:\n", "line 1 names no events, or too many" },
		{ "positions: a b c\n", "line 1 has neither one nor two positions" },
		{ HEADER "fn=\xff\n", "line 4 is not UTF-8" },
		{ HEADER "fn=f\n1 2\ntotals: 2", "line 6 does not end: the file is cut" },
		{ HEADER "fn=f\n1 2\n", "there are no totals: the file is cut" },
		{ HEADER "fn=f\ncfn=g\ncalls=1 1\n", "the file ends within a call: it is cut" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verification verification = { 0 };

		verify_callgrind(&verification, (const uint8_t *)cases[i].text,
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
		cmocka_unit_test(problems_name_their_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
