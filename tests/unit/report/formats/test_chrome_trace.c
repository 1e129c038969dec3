#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/formats/chrome_trace.h"
#include "report/formats/sample_spans.h"
#include "tests/unit/fixtures/letter_profile.h"

static void expect(struct letter_profile *letters, const char *wanted)
{
	char *text = letter_profile_write(letters, chrome_trace_write, &(struct path_options){ 0 });

	assert_string_equal(strstr(text, "\"traceEvents\""), wanted);
	free(text);
	letter_profile_deinit(letters);
}

#define TRACK "\"pid\":7,\"tid\":7,\"ts\":"
#define B     "{\"ph\":\"B\"," TRACK
#define E     "{\"ph\":\"E\"," TRACK
#define M     "{\"ph\":\"M\"," TRACK "0,"
#define USER  ",\"cat\":\"user\",\"name\":"
#define NAMES                                                                               \
	"\"traceEvents\":[\n" M "\"name\":\"process_name\",\"args\":{\"name\":\"p\"}},\n" M \
	"\"name\":\"thread_name\",\"args\":{\"name\":\"p\"}},\n"

static void functions_go_on_over_samples_that_follow_one_another(void **state)
{
	struct letter_profile letters;

	(void)state;
	letter_profile_init(&letters, (const char *[]){ "cpu-clock" }, 1);
	const uint32_t thread = letter_profile_thread(&letters, 7, 7, "p");
	letter_profile_add(&letters, thread, "a", 0, 1000, 10);
	letter_profile_add(&letters, thread, "aa>K", 0, 1000, 11);
	letter_profile_add(&letters, thread, "a", 0, 1500, 20); /* after a pause */
	/* The second one begins where the first ended. */
	expect(&letters,
	       NAMES B "9" USER "\"a\"},\n" B "10" USER "\"a\"},\n" B
		       "10,\"cat\":\"kernel\",\"name\":\"K\"},\n" E "11,\"name\":\"K\"},\n" E
		       "11,\"name\":\"a\"},\n" E "11,\"name\":\"a\"},\n" B "18.5" USER "\"a\"},\n" E
		       "20,\"name\":\"a\"}\n]}\n");
}

static void spans_never_overlap_and_keep_their_lengths(void **state)
{
	const struct sample_row row = { .time = 10 }, late = { .time = 30 };

	(void)state;
	/* It would begin before the last one's end, within its own length after that, and later. */
	assert_int_equal(sample_span_of(&row, false, 4000, 8000).begin_ns, 8000);
	assert_int_equal(sample_span_of(&row, false, 4000, 8000).end_ns, 12000);
	assert_int_equal(sample_span_of(&row, false, 4000, 3000).begin_ns, 3000);
	assert_int_equal(sample_span_of(&late, false, 4000, 8000).begin_ns, 26000);
	/* A wait begins with its sample. */
	assert_int_equal(sample_span_of(&row, true, 4000, 8000).begin_ns, 10000);
	assert_int_equal(sample_span_of(&row, true, 4000, 10500).begin_ns, 10500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_go_on_over_samples_that_follow_one_another),
		cmocka_unit_test(spans_never_overlap_and_keep_their_lengths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
