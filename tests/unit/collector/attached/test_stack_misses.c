/* Why memory beyond the copies is not there, from the recorder to the report. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/attached/stack_misses.h"
#include "report/findings/path_ends.h"
#include "tests/unit/fixtures/recorded_stacks.h"

/* As the recording of @misses has them. false: there is no record. */
static bool record_and_read(const struct stack_misses *misses, struct stack_misses *ret)
{
	struct recording recording;
	struct stack_record_header header;
	uint64_t words[STACK_MISSES_WORDS];
	_Alignas(8) uint8_t bytes[256];

	recording_begin(&recording);
	recording.output.misses = *misses;
	assert_int_equal(stack_output_write_misses(&recording.output, 5), 0);
	if (!recording_end(&recording, &header, 1))
		return false;
	assert_int_equal(header.kind, STACK_RECORD_MISSES);
	assert_int_equal(header.time_ns, 5);
	assert_int_equal(header.n_words, 11);
	words[0] = (uint64_t)misses->contexts_err;
	memcpy(words + 1, misses->deep, 7 * sizeof(*words));
	words[8] = (uint64_t)misses->seconds_err;
	memcpy(words + 9, misses->deep + 7, 2 * sizeof(*words));
	assert_in_range(stack_record_size(header.n_words, 0), 0, sizeof(bytes));
	stack_record_encode(&header, words, NULL, (struct perf_event_header *)bytes);
	return stack_misses_read((struct perf_event_header *)bytes, ret);
}

static void what_is_missing_is_written_and_read(void **state)
{
	const struct stack_misses misses = {
		.contexts_err = ENOENT,
		.seconds_err = EPERM,
		.deep = { [REST_NO_REGISTER] = 12, [REST_UNSAFE] = 3, [REST_UNSEEN] = 4 }
	};
	struct stack_misses read;

	(void)state;
	assert_true(record_and_read(&misses, &read));
	assert_memory_equal(&read, &misses, sizeof(read));
}

static void what_older_recorders_do_not_count_is_zero(void **state)
{
	const struct stack_record_header header = { .kind = STACK_RECORD_MISSES, .n_words = 9 };
	const uint64_t words[9] = { ENOENT, 1, 2, 3, 4, 5, 6, 7, EPERM };
	struct stack_misses read;
	_Alignas(8) uint8_t bytes[256];

	(void)state;
	stack_record_encode(&header, words, NULL, (struct perf_event_header *)bytes);
	assert_true(stack_misses_read((struct perf_event_header *)bytes, &read));
	assert_int_equal(read.contexts_err, ENOENT);
	assert_memory_equal(read.deep, words + 1, 7 * sizeof(*words));
	assert_int_equal(read.seconds_err, EPERM);
	assert_int_equal(read.deep[REST_UNSAFE], 0);
}

static void nothing_is_written_where_nothing_is_missing(void **state)
{
	struct stack_misses read;

	(void)state;
	assert_false(record_and_read(&(struct stack_misses){ .contexts_err = 0 }, &read));
}

static void check_why(const struct profile *profile, enum marker marker, const char *expected)
{
	char *why = path_ends_explain(profile, marker);

	assert_non_null(why);
	assert_string_equal(why, expected);
	free(why);
}

static void paths_that_end_for_want_of_it_say_why(void **state)
{
	const struct stack_misses both = { .contexts_err = EACCES,
					   .deep = { [REST_NO_REGISTER] = 12, [REST_FAILED] = 3 } };
	struct profile *profile = profile_create();

	(void)state;
	assert_int_equal(stack_misses_explain(&(struct stack_misses){ .contexts_err = 0 }, profile),
			 0);
	assert_null(path_ends_explain(profile, MARKER_STACK_CUT));
	assert_null(path_ends_explain(profile, MARKER_OTHER_STACK));
	assert_int_equal(stack_misses_explain(&both, profile), 0);
	check_why(profile, MARKER_STACK_CUT,
		  "not read beyond it: 12 found no free debug register, "
		  "3 had gone with their thread");
	check_why(profile, MARKER_OTHER_STACK,
		  "the stacks that signals interrupted were not recorded (Permission denied)");
	assert_int_equal(
		stack_misses_explain(&(struct stack_misses){ .seconds_err = EPERM }, profile), 0);
	check_why(profile, MARKER_OTHER_STACK,
		  "the stacks that threads left for another were not recorded "
		  "(BPF: Operation not permitted)");
	profile_destroy(profile);
}

static void records_that_make_no_sense_are_none(void **state)
{
	static const struct {
		uint32_t kind, n_words;
		uint64_t word;
	} records[] = {
		{ STACK_RECORD_REST, 1, 1 },
		{ STACK_RECORD_MISSES, 0, 0 },
		{ STACK_RECORD_MISSES, 1, UINT64_MAX },
	};
	struct stack_misses read;
	_Alignas(8) uint8_t bytes[256];

	(void)state;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		const struct stack_record_header header = { .kind = records[i].kind,
							    .n_words = records[i].n_words };

		stack_record_encode(&header, &records[i].word, NULL,
				    (struct perf_event_header *)bytes);
		assert_false(stack_misses_read((struct perf_event_header *)bytes, &read));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_missing_is_written_and_read),
		cmocka_unit_test(what_older_recorders_do_not_count_is_zero),
		cmocka_unit_test(nothing_is_written_where_nothing_is_missing),
		cmocka_unit_test(paths_that_end_for_want_of_it_say_why),
		cmocka_unit_test(records_that_make_no_sense_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
