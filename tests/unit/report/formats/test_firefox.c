#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/formats/firefox.h"
#include "tests/unit/fixtures/letter_profile.h"

static void expect(struct letter_profile *letters, const char *const *parts)
{
	char *text = letter_profile_write(letters, firefox_write, &(struct path_options){ 0 });

	for (; *parts; parts++) {
		if (!strstr(text, *parts))
			fail_msg("'%s' is not in %s", *parts, text);
	}
	free(text);
	letter_profile_deinit(letters);
}

static void threads_have_samples_with_times_and_markers_with_stacks(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cpu-clock", "off-cpu", "faults" }, 3);
	letters.profile->metrics[1].is_waits = true;
	assert_int_equal(profile_set_string(&letters.profile->metrics[2].unit, "events"), 0);
	const uint32_t main = letter_profile_thread(&letters, 7, 7, "p");
	const uint32_t worker = letter_profile_thread(&letters, 7, 8, "w\"");
	letter_profile_add(&letters, main, "ab", 0, 1500000, 2500);
	letter_profile_add(&letters, main, "a>K", 1, 3000000, 4000);
	letter_profile_add(&letters, main, "a", 0, 1000000, 1000);
	letter_profile_add(&letters, worker, "", 2, 5, 100);
	expect(&letters,
	       (const char *[]){
		       "\"name\":\"p\",\"processName\":\"p\",\"pid\":\"7\",\"tid\":7,"
		       "\"isMainThread\":true,\n"
		       "\"samples\":{\"weightType\":\"tracing-ms\",\n\"stack\":[0,1],\n"
		       "\"time\":[1,2.5],\n\"threadCPUDelta\":[1000000,1500000],\n"
		       "\"weight\":[1,1.5],\n\"length\":2},\n"
		       "\"markers\":{\"name\":[0],\n\"startTime\":[4],\n\"endTime\":[7],\n"
		       "\"phase\":[1],\n\"category\":[3],\n\"data\":[\n"
		       "{\"type\":\"dendro-wait\",\"weight\":3,\"reason\":\"\","
		       "\"cause\":{\"stack\":2}}],\n\"length\":1}}",
		       "\"name\":\"w\\\"\",\"processName\":\"p\",\"pid\":\"7\",\"tid\":8,"
		       "\"isMainThread\":false,\n"
		       "\"samples\":{\"weightType\":\"tracing-ms\",\n\"stack\":[],\n\"time\":[],\n"
		       "\"threadCPUDelta\":[],\n\"weight\":[],\n\"length\":0},\n"
		       "\"markers\":{\"name\":[1],\n\"startTime\":[0.1],\n\"endTime\":[null],\n"
		       "\"phase\":[0],\n\"category\":[3],\n\"data\":[\n"
		       "{\"type\":\"dendro-event\",\"weight\":5}],\n\"length\":1}}",
		       "\"samples\":{\"time\":[10],\n\"count\":[2.5],\n\"length\":1}", NULL });
}

static void tables_have_functions_with_categories_and_modules(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles" }, 1);
	letter_profile_add(&letters, letter_profile_thread(&letters, 1, 1, "t"), "!aa>K", 0, 1, 0);
	expect(&letters,
	       (const char *[]){
		       "\"libs\":[\n{\"name\":\"prog\",\"path\":\"/bin/prog\","
		       "\"debugName\":\"prog\",\"debugPath\":\"/bin/prog\",\"arch\":null,"
		       "\"codeId\":null,\"breakpadId\":\"000000000000000000000000000000000\"},\n"
		       "{\"name\":\"[kernel.kallsyms]\"",
		       "\"funcTable\":{\"name\":[2,3,4],\n\"resource\":[-1,0,1],\n"
		       "\"source\":[null,null,null],\n",
		       "\"frameTable\":{\"address\":[-1,1552,1200],\n\"inlineDepth\":[0,0,0],\n"
		       "\"category\":[3,0,1],\n\"func\":[0,1,2],\n\"nativeSymbol\":[null,0,1],\n"
		       "\"line\":[null,null,null],\n",
		       "\"stackTable\":{\"frame\":[0,1,1,2],\n\"prefixOffset\":[0,1,1,1],\n"
		       "\"length\":4}",
		       "\"nativeSymbols\":{\"libIndex\":[0,1],\n\"address\":[1552,1200],\n"
		       "\"name\":[3,4],\n\"functionSize\":[null,null],\n\"length\":2}",
		       "\"stringArray\":[\n\"prog\",\n\"[kernel.kallsyms]\",\n"
		       "\"[stack deeper than the copy]\",\n\"a\",\n\"K\"]",
		       NULL });
}

static void a_pid_that_is_used_again_has_another_track(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles" }, 1);
	letter_profile_add(&letters, letter_profile_thread(&letters, 1, 1, "sh"), "a", 0, 1, 0);
	const uint32_t process = profile_add_process(letters.profile, 1, "ls");
	const uint32_t thread = profile_add_thread(letters.profile, 1, process, "ls");
	letter_profile_add(&letters, thread, "a", 0, 1, 5);
	expect(&letters, (const char *[]){ "\"processName\":\"sh\",\"pid\":\"1\",",
					   "\"processName\":\"ls\",\"pid\":\"1.1\",", NULL });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_have_samples_with_times_and_markers_with_stacks),
		cmocka_unit_test(tables_have_functions_with_categories_and_modules),
		cmocka_unit_test(a_pid_that_is_used_again_has_another_track),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
