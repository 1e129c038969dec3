#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/records/phase_record.h"
#include "tests/unit/fixtures/record_builder.h"

static struct phase_record named(size_t length)
{
	struct phase_record phase = { .time_ns = 12345 };

	memset(phase.name, 'n', length);
	return phase;
}

static void names_of_any_length_are_read_as_written(void **state)
{
	_Alignas(8) uint8_t bytes[PHASE_RECORD_SIZE_MAX];
	struct phase_record read;

	(void)state;
	for (size_t length = 0; length <= PHASE_NAME_MAX; length++) {
		const struct phase_record written = named(length);
		const size_t size = phase_record_encode(&written, bytes);
		struct perf_event_header *copy = exact_copy(bytes, size);

		assert_int_equal(size % 8, 0);
		assert_int_equal(copy->size, size);
		assert_true(phase_record_is_type(copy));
		assert_true(phase_record_decode(copy, &read));
		assert_int_equal(read.time_ns, 12345);
		assert_string_equal(read.name, written.name);
		free(copy);
	}
}

static void records_that_are_cut_are_refused(void **state)
{
	_Alignas(8) uint8_t bytes[PHASE_RECORD_SIZE_MAX];
	const struct phase_record written = named(40);
	const size_t whole = phase_record_encode(&written, bytes);
	struct phase_record read;

	(void)state;
	for (size_t size = sizeof(struct perf_event_header); size < whole; size += 8) {
		struct perf_event_header *copy = exact_copy(bytes, size);

		copy->size = (uint16_t)size;
		assert_int_equal(phase_record_is_type(copy), size >= 16);
		assert_false(phase_record_decode(copy, &read));
		free(copy);
	}
}

static void names_with_zeros_or_beyond_their_bound_are_refused(void **state)
{
	_Alignas(8) uint8_t bytes[PHASE_RECORD_SIZE_MAX + 8] = { 0 };
	const struct phase_record written = named(PHASE_NAME_MAX);
	struct phase_record_header *header = (void *)bytes;
	struct phase_record read;

	(void)state;
	phase_record_encode(&written, bytes);
	bytes[sizeof(*header) + 7] = '\0';
	assert_false(phase_record_decode(&header->header, &read));
	phase_record_encode(&written, bytes);
	memset(bytes + sizeof(*header), 'n', PHASE_NAME_MAX + 9);
	header->header.size = sizeof(bytes);
	header->name_size = PHASE_NAME_MAX + 1;
	assert_false(phase_record_decode(&header->header, &read));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_any_length_are_read_as_written),
		cmocka_unit_test(records_that_are_cut_are_refused),
		cmocka_unit_test(names_with_zeros_or_beyond_their_bound_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
