#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/file/feature_bytes.h"

static void numbers_follow_one_another_without_gaps(void **state)
{
	(void)state;
	struct feature_bytes bytes = { 0 };

	for (uint32_t i = 0; i < 1000; i++) {
		feature_bytes_add_u32(&bytes, i);
		feature_bytes_add_u64(&bytes, (uint64_t)i << 32);
	}
	assert_false(bytes.failed);
	assert_int_equal(bytes.size, 12000);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t small;
		uint64_t large;

		memcpy(&small, bytes.start + 12 * i, sizeof(small));
		memcpy(&large, bytes.start + 12 * i + 4, sizeof(large));
		assert_int_equal(small, i);
		assert_int_equal(large, (uint64_t)i << 32);
	}
	free(bytes.start);
}

static void a_build_id_is_a_record_with_its_size(void **state)
{
	static const uint8_t id[20] = { 1, 2, 3, 4 };
	static const struct {
		size_t id_size, path_length, size;
	} cases[] = { { 4, 1, 44 }, { 20, 7, 44 }, { 20, 8, 52 }, { 40, 5000, 4132 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feature_bytes bytes = { 0 };
		char path[5001] = { 0 };
		struct perf_event_header header;

		memset(path, 'x', cases[i].path_length);
		feature_bytes_add_build_id(&bytes, PERF_RECORD_MISC_USER, id, cases[i].id_size,
					   path);
		assert_int_equal(bytes.size, cases[i].size);
		memcpy(&header, bytes.start, sizeof(header));
		assert_int_equal(header.size, bytes.size);
		assert_int_equal(header.type, 67);
		assert_int_equal(header.misc, PERF_RECORD_MISC_USER | 1 << 15);
		assert_int_equal(bytes.start[32], cases[i].id_size < 20 ? cases[i].id_size : 20);
		assert_int_equal(bytes.start[bytes.size - 1], 0);
		free(bytes.start);
	}
}

static void a_string_ends_with_zeros_up_to_a_multiple_of_64(void **state)
{
	static const struct {
		size_t length, padded;
	} cases[] = { { 0, 64 }, { 1, 64 }, { 63, 64 }, { 64, 128 }, { 127, 128 }, { 128, 192 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feature_bytes bytes = { 0 };
		char text[200] = { 0 };
		uint32_t padded;

		memset(text, 'x', cases[i].length);
		feature_bytes_add_string(&bytes, text);
		assert_int_equal(bytes.size, sizeof(padded) + cases[i].padded);
		memcpy(&padded, bytes.start, sizeof(padded));
		assert_int_equal(padded, cases[i].padded);
		assert_memory_equal(bytes.start + sizeof(padded), text, cases[i].padded);
		free(bytes.start);
	}
}

static void nothing_is_added_after_a_failure(void **state)
{
	(void)state;
	struct feature_bytes bytes = { .failed = true };

	feature_bytes_add_string(&bytes, "text");
	assert_int_equal(bytes.size, 0);
	assert_null(bytes.start);
	assert_true(bytes.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_follow_one_another_without_gaps),
		cmocka_unit_test(a_build_id_is_a_record_with_its_size),
		cmocka_unit_test(a_string_ends_with_zeros_up_to_a_multiple_of_64),
		cmocka_unit_test(nothing_is_added_after_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
