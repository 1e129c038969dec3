#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/verify/verify_chrome_trace.h"

#define EDGE(phase, tid, ts, name) \
	"{\"ph\":\"" phase "\",\"pid\":1,\"tid\":" tid ",\"ts\":" ts ",\"name\":\"" name "\"}"

static void problems_name_their_event(void **state)
{
	static const struct {
		const char *json, *problem;
	} cases[] = {
		{ "[]", NULL },
		{ "{\"traceEvents\":[" EDGE("B", "1", "1", "a") "," EDGE(
			  "B", "2", "0.5",
			  "b") "," EDGE("B", "1", "2",
					"c") "," EDGE("E", "1", "2",
						      "c") "," EDGE("E", "1", "3",
								    "a") "," EDGE("E", "2", "1",
										  "b") "]}",
		  NULL },
		{ "[" EDGE("B", "1", "1", "a") ",{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":2}]",
		  NULL },
		{ "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,\"pid\":\"p\",\"tid\":\"t\"}]",
		  NULL },
		{ "[" EDGE("B", "1", "1", "a") "]",
		  "the thread whose first event is 0 has 1 that do not end" },
		{ "[" EDGE("E", "1", "1", "a") "]", "event 0 ends what has not begun" },
		{ "[" EDGE("B", "1", "1", "a") "," EDGE("E", "2", "1", "a") "]",
		  "event 1 ends what has not begun" },
		{ "[" EDGE("B", "1", "1", "a") "," EDGE("B", "1", "1", "b") "," EDGE("E", "1", "2",
										     "a") "]",
		  "event 2 ends what is not the innermost" },
		{ "[" EDGE("B", "1", "2", "a") "," EDGE("E", "1", "1", "a") "]",
		  "event 1 is before the one that its thread had last" },
		{ "[" EDGE("i", "1", "-2", "a") "]", "event 0 has a negative time" },
		{ "[" EDGE("?", "1", "2", "a") "]", "event 0 has no phase of the format" },
		{ "[{\"ph\":\"B\",\"ts\":1}]", "event 0 has no name" },
		{ "[{\"ph\":\"B\",\"name\":\"a\"}]", "event 0 has no time" },
		{ "[" EDGE("X", "1", "2", "a") "]", "event 0 has no duration" },
		{ "{\"otherData\":{}}", "there are no trace events" },
		{ "[{\"ph\":\"B\",", "byte 11: there is no string" },
		{ "[1]", "byte 1: '{' is missing" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verification verification = { 0 };

		verify_chrome_trace(&verification, (const uint8_t *)cases[i].json,
				    strlen(cases[i].json));
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
		cmocka_unit_test(problems_name_their_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
