#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/verify/verify_firefox.h"

/* A sound profile, of which a test changes a part. */
static const char sound[] =
	"{\"meta\":{\"categories\":[{\"name\":\"User\"}],\"meta\":{\"meta\":1}},"
	"\"threads\":[{\"samples\":{\"stack\":[0,1,null],\"time\":[0,0.5,2],\"length\":3},"
	"\"markers\":{\"name\":[1],\"category\":[0],\"data\":[{\"cause\":{\"stack\":1}}],"
	"\"length\":1}}],"
	"\"counters\":[{\"mainThreadIndex\":0,\"samples\":{\"time\":[1],\"count\":[2],"
	"\"length\":1}}],"
	"\"libs\":[{}],\"shared\":{\"stringArray\":[\"a\",\"b\"],"
	"\"stackTable\":{\"frame\":[0,0],\"prefixOffset\":[0,1],\"length\":2},"
	"\"frameTable\":{\"func\":[0],\"category\":[0],\"nativeSymbol\":[null],\"length\":1},"
	"\"funcTable\":{\"name\":[1],\"resource\":[-1],\"source\":[null],\"length\":1},"
	"\"resourceTable\":{\"name\":[0],\"lib\":[0],\"length\":1}}}";

/* The text with the first @from after @after replaced; heap. */
static char *damage(const char *after, const char *from, const char *to)
{
	char *text = malloc(sizeof(sound) + strlen(to) + 1);
	const char *at = strstr(strstr(sound, after), from);

	assert_non_null(text);
	memcpy(text, sound, (size_t)(at - sound));
	strcpy(text + (at - sound), to);
	strcat(text, at + strlen(from));
	return text;
}

static char *problem_of(const char *text)
{
	struct verification verification = { 0 };

	verify_firefox(&verification, (const uint8_t *)text, strlen(text));
	return verification.problem;
}

static void damages_are_found_and_named(void **state)
{
	static const struct {
		const char *after, *from, *to, *problem;
	} cases[] = {
		{ "stack\"", "[0,1,", "[0,9,",
		  "thread 0, samples.stack: row 1 leads to 9 in stackTable, which has 2" },
		{ "time", "0.5", "3", "thread 0, samples.time: row 2 is before the last" },
		{ "time", "[0,0.5,2]", "[0,1]",
		  "thread 0, samples.time: it has 2 rows, and columns before it have 3" },
		{ "time", "\"length\":3", "\"length\":4",
		  "thread 0, samples.length: it is 4, and columns have 3 rows" },
		{ "markers", "[1]", "[2]",
		  "thread 0, markers.name: row 0 leads to 2 in stringArray, which has 2" },
		{ "cause", "1", "2",
		  "thread 0, markers.data: row 0 leads to 2 in stackTable, which has 2" },
		{ "category", "[0]", "[1]",
		  "thread 0, markers.category: row 0 leads to 1 in categories, which has 1" },
		{ "mainThread", "0", "1",
		  "counter 0, mainThreadIndex: row 0 leads to 1 in threads, which has 1" },
		{ "frame\"", "[0,0]", "[0,1]",
		  "stackTable.frame: row 1 leads to 1 in frameTable, which has 1" },
		{ "prefixOffset", "[0,1]", "[0,2]",
		  "stackTable.prefixOffset: row 1 leads to before the first row" },
		{ "func\"", "[0]", "[1]",
		  "frameTable.func: row 0 leads to 1 in funcTable, which has 1" },
		{ "nativeSymbol", "null", "0",
		  "frameTable.nativeSymbol: row 0 leads to 0 in nativeSymbols, which has 0" },
		{ "lib\"", "[0]", "[1]",
		  "resourceTable.lib: row 0 leads to 1 in libs, which has 1" },
		{ "shared", "shared", "other",
		  "it has no 'shared' tables, as all profiles but those of old versions have" },
	};

	(void)state;
	assert_null(problem_of(sound));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = damage(cases[i].after, cases[i].from, cases[i].to);
		char *problem = problem_of(text);

		assert_non_null(problem);
		assert_string_equal(problem, cases[i].problem);
		free(problem);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damages_are_found_and_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
