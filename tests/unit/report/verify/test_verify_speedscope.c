#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/verify/verify_speedscope.h"

#define SAMPLED(samples, weights, end)                                                    \
	"{\"type\":\"sampled\",\"name\":\"p\",\"unit\":\"nanoseconds\",\"startValue\":0," \
	"\"endValue\":" end ",\"samples\":[" samples "],\"weights\":[" weights "]}"
#define EVENTED(events)                                                                           \
	"{\"type\":\"evented\",\"name\":\"p\",\"unit\":\"none\",\"startValue\":0,\"endValue\":9," \
	"\"events\":[" events "]}"
#define OPEN(frame, at)  "{\"type\":\"O\",\"frame\":" frame ",\"at\":" at "}"
#define CLOSE(frame, at) "{\"type\":\"C\",\"frame\":" frame ",\"at\":" at "}"

static void problems_name_their_profile(void **state)
{
	static const struct {
		const char *profile, *problem;
	} cases[] = {
		{ SAMPLED("[0,1],[]", "2,3.5", "5.5"), NULL },
		{ EVENTED(OPEN("0", "1") "," OPEN("1", "1") "," CLOSE("1", "2") "," CLOSE("0",
											  "9")),
		  NULL },
		{ SAMPLED("[0,2]", "1", "1"),
		  "profile 0, sample 0: there is no frame 2 in the table of 2" },
		{ SAMPLED("[0],[1]", "1", "1"), "profile 0 has 2 samples and 1 weights" },
		{ SAMPLED("[0]", "-1", "1"), "profile 0: weight 0 is negative" },
		{ SAMPLED("[0]", "2", "3"),
		  "profile 0: its weights are 2, and from its start to its end are 3" },
		{ "{\"type\":\"sampled\",\"unit\":\"none\"}",
		  "profile 0: it has no type, start or end" },
		{ "{\"unit\":\"hours\"}", "profile 0: its unit is none of the format" },
		{ "{\"type\":\"other\"}", "profile 0: its type is neither sampled nor evented" },
		{ EVENTED(OPEN("0", "1")), "profile 0: 1 frames begin and do not end" },
		{ EVENTED(OPEN("0", "1") "," OPEN("1", "2") "," CLOSE("0", "3")),
		  "profile 0: event 2 ends frame 0, which is not the innermost" },
		{ EVENTED(CLOSE("0", "1")),
		  "profile 0: event 0 ends frame 0, which is not the innermost" },
		{ EVENTED(OPEN("0", "2") "," CLOSE("0", "1")),
		  "profile 0: event 1 is before the last" },
		{ EVENTED(OPEN("7", "2")),
		  "profile 0, event 0: there is no frame 7 in the table of 2" },
		{ EVENTED("{\"type\":\"O\",\"at\":1}"),
		  "profile 0: event 0 lacks its type, frame or time" },
		{ EVENTED(OPEN("0", "1") "," CLOSE("0", "10")),
		  "profile 0: its last event is after its end" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verification verification = { 0 };
		char json[2048];
		const int size = snprintf(json, sizeof(json),
					  "{\"profiles\":[%s],\"activeProfileIndex\":0,\"shared\":"
					  "{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}",
					  cases[i].profile);

		verify_speedscope(&verification, (const uint8_t *)json, (size_t)size);
		if (cases[i].problem) {
			assert_non_null(verification.problem);
			assert_string_equal(verification.problem, cases[i].problem);
		} else {
			assert_null(verification.problem);
		}
		verification_deinit(&verification);
	}
}

static void frames_and_the_chosen_profile_are_checked(void **state)
{
	static const struct {
		const char *json, *problem;
	} cases[] = {
		{ "{\"shared\":{\"frames\":[]},\"profiles\":[]}", NULL },
		{ "{\"shared\":{\"frames\":[{\"name\":\"a\"},{}]},\"profiles\":[]}",
		  "frame 1 has no name" },
		{ "{\"shared\":{\"frames\":[]},\"profiles\":[],\"activeProfileIndex\":1}",
		  "profile 1 is chosen, of 0" },
		{ "{\"profiles\":[]}", "there are no frames, or no profiles" },
		{ "{\"shared\":{\"frames\":[]},\"profiles\":[]",
		  "byte 37: the file is cut, ',' is missing" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verification verification = { 0 };

		verify_speedscope(&verification, (const uint8_t *)cases[i].json,
				  strlen(cases[i].json));
		if (cases[i].problem)
			assert_string_equal(verification.problem, cases[i].problem);
		else
			assert_null(verification.problem);
		verification_deinit(&verification);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(problems_name_their_profile),
		cmocka_unit_test(frames_and_the_chosen_profile_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
