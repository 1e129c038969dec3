#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/records/read_values.h"

#define FORMAT_LOST (1ull << 4) /* PERF_FORMAT_LOST, newer than some headers */
#define TIMES       (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static struct record_cursor cursor_over(const uint64_t *words, size_t n)
{
	return (struct record_cursor){ (const uint8_t *)words, (const uint8_t *)(words + n) };
}

/* Takes all of @words, and gives value @index of them. */
static struct read_value value_of(const uint64_t *words, size_t n, uint64_t format, size_t index)
{
	struct record_cursor cursor = cursor_over(words, n);
	struct sample_record sample = { 0 };
	struct read_values values;
	struct read_value value;

	assert_true(read_values_take(&cursor, format, &values));
	assert_ptr_equal(cursor.at, words + n);
	sample.read_values = values.values;
	sample.n_read_values = values.n_values;
	read_values_of_sample(&sample, format, index, &value);
	return value;
}

static void a_single_value_has_its_times_before_its_id(void **state)
{
	static const uint64_t words[] = { 42, 1000, 500, 7, 3 };
	struct read_value value = value_of(words, 5, TIMES | PERF_FORMAT_ID | FORMAT_LOST, 0);
	struct record_cursor cursor = cursor_over(words, 5);
	struct read_values values;

	(void)state;
	assert_int_equal(value.value, 42);
	assert_int_equal(value.id, 7);
	assert_int_equal(value.lost, 3);
	assert_true(read_values_take(&cursor, TIMES | PERF_FORMAT_ID | FORMAT_LOST, &values));
	assert_int_equal(values.time_enabled, 1000);
	assert_int_equal(values.time_running, 500);
	assert_int_equal(values.n_values, 1);
}

static void a_group_has_its_times_before_its_values(void **state)
{
	static const uint64_t words[] = { 2, 1000, 500, 42, 7, 43, 8 };
	const uint64_t format = PERF_FORMAT_GROUP | TIMES | PERF_FORMAT_ID;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct read_value value = value_of(words, 7, format, i);

		assert_int_equal(value.value, 42 + i);
		assert_int_equal(value.id, 7 + i);
		assert_int_equal(value.lost, 0);
	}
}

static void a_value_that_a_sample_does_not_have_is_zero(void **state)
{
	static const uint64_t words[] = { 1, 42, 7 };
	struct read_value value = value_of(words, 3, PERF_FORMAT_GROUP | PERF_FORMAT_ID, 1);

	(void)state;
	assert_int_equal(value.value, 0);
	assert_int_equal(value.id, 0);
}

static void values_that_lead_beyond_the_record_are_refused(void **state)
{
	static const uint64_t numbers[] = { 2, 1ull << 32, 1ull << 61, UINT64_MAX };
	struct read_values values;

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const uint64_t words[] = { numbers[i], 42, 7 };
		struct record_cursor cursor = cursor_over(words, 3);

		assert_false(
			read_values_take(&cursor, PERF_FORMAT_GROUP | PERF_FORMAT_ID, &values));
	}
	for (size_t n = 0; n < 4; n++) {
		static const uint64_t words[4];
		struct record_cursor cursor = cursor_over(words, n);

		assert_false(read_values_take(&cursor, TIMES | PERF_FORMAT_ID, &values));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_single_value_has_its_times_before_its_id),
		cmocka_unit_test(a_group_has_its_times_before_its_values),
		cmocka_unit_test(a_value_that_a_sample_does_not_have_is_zero),
		cmocka_unit_test(values_that_lead_beyond_the_record_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
