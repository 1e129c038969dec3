#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/rings/waking_rings.h"
#include "tests/unit/fixtures/record_builder.h"

#define TID_OFFSET 24
#define DATA_SIZE  36

/* As the kernel writes it. */
struct sample {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t time_ns;
	uint32_t data_size;
	uint8_t data[DATA_SIZE];
};

static struct sample a_sample(uint8_t flags)
{
	struct sample sample = {
		.header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) },
		.pid = 10,
		.tid = 11,
		.time_ns = 12345,
		.data_size = DATA_SIZE,
	};
	const int32_t woken = 77;

	sample.data[2] = flags;
	memcpy(sample.data + TID_OFFSET, &woken, sizeof(woken));
	return sample;
}

static void a_waking_has_both_threads_and_its_time(void **state)
{
	struct sample sample = a_sample(0);
	struct waking waking;

	(void)state;
	assert_true(waking_decode(&sample.header, TID_OFFSET, &waking));
	assert_int_equal(waking.time_ns, 12345);
	assert_int_equal(waking.tid, 77);
	assert_int_equal(waking.waker_pid, 10);
	assert_int_equal(waking.waker_tid, 11);
	assert_int_equal(waking.context, WAKING_IN_THREAD);
}

static void interrupts_are_known_by_their_flags(void **state)
{
	static const struct {
		uint8_t flags;
		enum waking_context context;
	} cases[] = {
		{ 0x01, WAKING_IN_THREAD },    { 0x08, WAKING_IN_INTERRUPT },
		{ 0x40, WAKING_IN_INTERRUPT }, { 0x18, WAKING_IN_INTERRUPT },
		{ 0x11, WAKING_IN_SOFTIRQ },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample = a_sample(cases[i].flags);
		struct waking waking;

		assert_true(waking_decode(&sample.header, TID_OFFSET, &waking));
		assert_int_equal(waking.context, cases[i].context);
	}
}

static void what_is_short_or_another_record_is_not_a_waking(void **state)
{
	struct sample sample = a_sample(0);
	struct waking waking;

	(void)state;
	for (uint16_t size = sizeof(sample.header); size < sizeof(sample) - DATA_SIZE + TID_OFFSET;
	     size += 8) {
		sample.header.size = size;
		struct perf_event_header *copy = exact_copy(&sample, size);
		assert_false(waking_decode(copy, TID_OFFSET, &waking));
		free(copy);
	}
	sample = a_sample(0);
	assert_false(waking_decode(&sample.header, DATA_SIZE - 3, &waking));
	sample.data_size = UINT32_MAX;
	assert_false(waking_decode(&sample.header, TID_OFFSET, &waking));
	sample = a_sample(0);
	sample.header.type = PERF_RECORD_LOST;
	assert_false(waking_decode(&sample.header, TID_OFFSET, &waking));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_waking_has_both_threads_and_its_time),
		cmocka_unit_test(interrupts_are_known_by_their_flags),
		cmocka_unit_test(what_is_short_or_another_record_is_not_a_waking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
