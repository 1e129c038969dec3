#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/records/waking_record.h"
#include "tests/unit/fixtures/record_builder.h"

static struct waking_record a_waking(void)
{
	struct waking_record record;

	waking_record_init(&record);
	record.time_ns = 12345;
	record.tid = 7;
	record.kind = WAKING_BY_THREAD;
	record.waker_pid = record.waker_tid = 8;
	strcpy(record.waker_comm, "waker");
	return record;
}

/* Not inlined: gcc would warn of lengths that the check excludes. */
static __attribute__((noinline)) bool decode(const struct perf_event_header *record,
					     struct waking_record *ret)
{
	return waking_record_decode(record, ret);
}

static void what_was_written_is_read(void **state)
{
	struct waking_record written = a_waking(), read;
	uint64_t time_ns;

	(void)state;
	for (uint32_t kind = WAKING_BY_THREAD; kind <= WAKING_BY_SOFTIRQ; kind++) {
		written.kind = kind;
		assert_true(waking_record_is_type(&written.header));
		assert_true(decode(&written.header, &read));
		assert_memory_equal(&written, &read, sizeof(read));
	}
	assert_true(waking_record_peek_time(&written.header, &time_ns));
	assert_int_equal(time_ns, 12345);
}

static void what_is_short_or_unknown_is_refused(void **state)
{
	struct waking_record record = a_waking(), read;
	uint64_t time_ns;

	(void)state;
	for (uint16_t size = sizeof(record.header); size < sizeof(record); size += 8) {
		record.header.size = size;
		struct perf_event_header *copy = exact_copy(&record, size);
		assert_int_equal(waking_record_is_type(copy), size >= 16);
		assert_false(waking_record_peek_time(copy, &time_ns));
		assert_false(decode(copy, &read));
		free(copy);
	}
	for (uint32_t kind = 0; kind <= WAKING_BY_SOFTIRQ + 1; kind += WAKING_BY_SOFTIRQ + 1) {
		record = a_waking();
		record.kind = kind;
		assert_false(decode(&record.header, &read));
	}
}

static void a_name_without_an_end_is_cut(void **state)
{
	struct waking_record record = a_waking(), read;

	(void)state;
	memset(record.waker_comm, 'x', sizeof(record.waker_comm));
	assert_true(decode(&record.header, &read));
	assert_int_equal(strlen(read.waker_comm), WAKING_COMM_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(what_is_short_or_unknown_is_refused),
		cmocka_unit_test(a_name_without_an_end_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
