#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perf/records/window_record.h"
#include "tests/unit/fixtures/record_builder.h"

static void what_was_written_is_read(void **state)
{
	struct window_record written, read;

	(void)state;
	for (int kind = WINDOW_RECORD_BEGIN; kind <= WINDOW_RECORD_LAST_PART; kind++) {
		window_record_init(&written, (enum window_record_kind)kind, 12345);
		assert_true(window_record_is_type(&written.header));
		assert_true(window_record_decode(&written.header, &read));
		assert_int_equal(read.kind, kind);
		assert_int_equal(read.time_ns, 12345);
	}
}

static void what_is_short_or_unknown_is_refused(void **state)
{
	struct window_record record, read;

	(void)state;
	window_record_init(&record, WINDOW_RECORD_END, 1);
	for (uint16_t size = sizeof(record.header); size < sizeof(record); size += 8) {
		record.header.size = size;
		struct perf_event_header *copy = exact_copy(&record, size);
		assert_int_equal(window_record_is_type(copy), size >= 16);
		assert_false(window_record_decode(copy, &read));
		free(copy);
	}
	for (int kind = 0; kind <= WINDOW_RECORD_LAST_PART + 1;
	     kind += WINDOW_RECORD_LAST_PART + 1) {
		window_record_init(&record, (enum window_record_kind)kind, 1);
		assert_false(window_record_decode(&record.header, &read));
	}
	window_record_init(&record, WINDOW_RECORD_END, 1);
	record.header.type = PERF_RECORD_SAMPLE;
	assert_false(window_record_is_type(&record.header));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(what_is_short_or_unknown_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
