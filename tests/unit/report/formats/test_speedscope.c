#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/formats/speedscope.h"
#include "tests/unit/fixtures/letter_profile.h"

static void expect(struct letter_profile *letters, enum view_grouping grouping, const char *wanted)
{
	char *text = letter_profile_write(letters, speedscope_write,
					  &(struct path_options){ .grouping = grouping });

	assert_string_equal(strstr(text, "\"shared\""), wanted);
	free(text);
	letter_profile_deinit(letters);
}

static void a_file_has_the_whole_and_threads_in_the_order_of_time(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles" }, 1);
	const uint32_t a = letter_profile_thread(&letters, 1, 1, "x\"\n");
	const uint32_t b = letter_profile_thread(&letters, 1, 2, "w");
	letter_profile_add(&letters, a, "mm>K", 0, 5, 30);
	letter_profile_add(&letters, a, "m", 0, 2, 10);
	letter_profile_add(&letters, b, "m", 0, 1, 0);
	letter_profile_add(&letters, a, "mm>K", 0, 6, 40);
	expect(&letters, GROUP_COMM,
	       "\"shared\":{\"frames\":[\n"
	       "{\"name\":\"m\"},\n{\"name\":\"K\"},\n{\"name\":\"x\\\"\\\\x0a\"}]},\n"
	       "\"profiles\":[\n"
	       "{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":14,"
	       "\"name\":\"cycles\",\"samples\":[\n[2,0],\n[2,0,0,1],\n[2,0]],\n"
	       "\"weights\":[2,11,1]},\n"
	       "{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":13,"
	       "\"name\":\"cycles: x\\\"\\\\x0a-1/1\",\"samples\":[\n[0],\n[0,0,1]],\n"
	       "\"weights\":[2,11]},\n"
	       "{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":1,"
	       "\"name\":\"cycles: w-1/2\",\"samples\":[\n[0]],\n\"weights\":[1]}]}\n");
}

static void by_process_there_is_a_profile_for_each_and_each_event(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles", "faults" }, 2);
	letter_profile_add(&letters, letter_profile_thread(&letters, 1, 1, "x"), "a", 1, 3, 0);
	letter_profile_add(&letters, letter_profile_thread(&letters, 4, 4, "x"), "!", 0, 4, 0);
	assert_int_equal(profile_set_string(&letters.profile->metrics[1].unit, "events"), 0);
	expect(&letters, GROUP_PROCESS,
	       "\"shared\":{\"frames\":[\n"
	       "{\"name\":\"a\"},\n{\"name\":\"[stack deeper than the copy]\"}]},\n"
	       "\"profiles\":[\n"
	       "{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":4,"
	       "\"name\":\"cycles: x-4\",\"samples\":[\n[1]],\n\"weights\":[4]},\n"
	       "{\"type\":\"sampled\",\"unit\":\"none\",\"startValue\":0,\"endValue\":3,"
	       "\"name\":\"faults: x-1\",\"samples\":[\n[0]],\n\"weights\":[3]}]}\n");
}

static void without_samples_there_is_an_empty_profile(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cycles" }, 1);
	expect(&letters, GROUP_COMM,
	       "\"shared\":{\"frames\":[]},\n\"profiles\":[\n"
	       "{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":0,"
	       "\"name\":\"cycles\",\"samples\":[],\n\"weights\":[]}]}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_has_the_whole_and_threads_in_the_order_of_time),
		cmocka_unit_test(by_process_there_is_a_profile_for_each_and_each_event),
		cmocka_unit_test(without_samples_there_is_an_empty_profile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
