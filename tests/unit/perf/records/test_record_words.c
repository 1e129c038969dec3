#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/records/record_words.h"

#define PID_AND_TID (100 | (uint64_t)101 << 32)

static struct record_cursor cursor_over(const uint64_t *words, size_t n)
{
	return (struct record_cursor){ (const uint8_t *)words, (const uint8_t *)(words + n) };
}

static void the_words_of_a_sample_are_in_the_order_of_the_abi(void **state)
{
	/* IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD; what follows stays. */
	static const uint64_t words[] = { 7, 0x401000, PID_AND_TID, 5000, 0xadd, 7, 8, 3, 99, 1 };
	struct record_cursor cursor = cursor_over(words, 10);
	struct record record = { 0 };

	(void)state;
	assert_true(record_words_take_head(&cursor, RECORD_HEAD_BITS, &record));
	assert_ptr_equal(cursor.at, words + 9);
	assert_int_equal(record.id, 7);
	assert_int_equal(record.sample.ip, 0x401000);
	assert_int_equal(record.pid, 100);
	assert_int_equal(record.tid, 101);
	assert_int_equal(record.time_ns, 5000);
	assert_int_equal(record.sample.addr, 0xadd);
	assert_int_equal(record.stream_id, 8);
	assert_int_equal(record.cpu, 3);
	assert_int_equal(record.sample.period, 99);
	assert_true(record.has_tid && record.has_time && record.has_cpu && record.has_id);
	assert_true(record.sample.has_period);
}

static void words_that_the_type_lacks_are_not_looked_for(void **state)
{
	static const uint64_t words[] = { 0x401000, 5000 };
	struct record_cursor cursor = cursor_over(words, 2);
	struct record record = { 0 };

	(void)state;
	assert_true(record_words_take_head(&cursor, PERF_SAMPLE_IP | PERF_SAMPLE_TIME, &record));
	assert_int_equal(record.sample.ip, 0x401000);
	assert_int_equal(record.time_ns, 5000);
	assert_true(record.has_time);
	assert_false(record.has_tid || record.has_cpu || record.has_id);
	assert_false(record.sample.has_period);
}

static void the_words_of_other_records_are_taken_off_their_end(void **state)
{
	/* A body of one word; TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER. */
	static const uint64_t words[] = { 0xb0d7, PID_AND_TID, 5000, 7, 8, 3, 7 };
	struct record_cursor cursor = cursor_over(words, 7);
	struct record record = { 0 };

	(void)state;
	assert_true(record_words_take_trailer(&cursor, RECORD_TRAILER_BITS, &record));
	assert_ptr_equal(cursor.at, words);
	assert_ptr_equal(cursor.end, words + 1);
	assert_int_equal(record.tid, 101);
	assert_int_equal(record.time_ns, 5000);
	assert_int_equal(record.id, 7);
	assert_int_equal(record.stream_id, 8);
	assert_int_equal(record.cpu, 3);
}

static void a_record_that_is_too_small_is_refused(void **state)
{
	static const uint64_t words[9];

	(void)state;
	for (size_t n = 0; n < 9; n++) {
		struct record_cursor cursor = cursor_over(words, n);
		struct record record = { 0 };

		assert_false(record_words_take_head(&cursor, RECORD_HEAD_BITS, &record));
		if (n < 6)
			assert_false(
				record_words_take_trailer(&cursor, RECORD_TRAILER_BITS, &record));
	}
}

static void the_id_is_found_before_the_layout_is_known(void **state)
{
	static const struct {
		uint64_t sample_type;
		bool is_sample, has_id;
		size_t position;
	} cases[] = {
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP, true, true, 0 },
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU, false, true, 0 },
		{ PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ID, true, true, 2 },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU, false, true, 2 },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_CPU, true, true, 0 },
		{ PERF_SAMPLE_IP | PERF_SAMPLE_TID, true, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t position = 0;

		assert_int_equal(
			record_words_find_id(cases[i].sample_type, cases[i].is_sample, &position),
			cases[i].has_id);
		assert_int_equal(position, cases[i].position);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_words_of_a_sample_are_in_the_order_of_the_abi),
		cmocka_unit_test(words_that_the_type_lacks_are_not_looked_for),
		cmocka_unit_test(the_words_of_other_records_are_taken_off_their_end),
		cmocka_unit_test(a_record_that_is_too_small_is_refused),
		cmocka_unit_test(the_id_is_found_before_the_layout_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
