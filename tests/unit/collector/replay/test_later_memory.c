/* Memory records as in a recording, and the samples that get them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/replay/later_memory.h"
#include "perf/records/memory_record.h"

enum { PID = 10, TID = 11 };

struct fixture {
	struct profile *profile;
	struct processes *processes;
	struct block_pool pool;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .profile = profile_create(), .pool = { .block_size = 8192 } };
	fixture.processes = processes_create(fixture.profile, NULL);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	processes_destroy(fixture->processes);
	profile_destroy(fixture->profile);
	block_pool_trim(&fixture->pool);
	return 0;
}

/* Reads one record of the time as a file's reader does. */
static int apply(struct fixture *fixture, uint64_t time_ns)
{
	const struct memory_record memory = {
		.header = { .pid = PID, .tid = TID, .time_ns = time_ns, .n_parts = 1 },
		.parts = (struct memory_part[]){ { .addr = 0x1000, .size = 4 } },
		.bytes = (const uint8_t *)"four",
		.n_bytes = 4,
	};
	struct block_window window = { .block = NULL };
	uint64_t space[MEMORY_RECORD_SIZE_MAX / sizeof(uint64_t) + 1];
	struct perf_event_header *record = (struct perf_event_header *)space;

	memory_record_encode(&memory, record);
	struct data_block *block = block_pool_take(&fixture->pool);
	assert_non_null(block);
	memcpy(block->bytes, record, record->size);
	block_window_adopt(&window, block, record->size);
	data_block_ref(block);
	const struct raw_record raw = { .header = (const void *)block->bytes, .block = block };
	int err = later_memory_apply(fixture->processes, &raw);
	data_block_unref(block);
	block_window_close(&window);
	return err;
}

/* Whether a sample of the time gets memory. */
static bool meets(struct fixture *fixture, uint64_t time_ns)
{
	struct thread *thread = processes_thread(fixture->processes, PID, TID);
	struct sample sample = { .record = { .has_time = true, .time_ns = time_ns } };
	struct memory_record memory;
	bool is_at_sample;

	later_memory_meet_sample(thread, &sample);
	const bool has_memory = sample.later.header;
	if (has_memory) {
		assert_true(memory_record_decode(sample.later.header, &memory));
		assert_memory_equal(memory_record_find(&memory, 0x1000, 4, &is_at_sample), "four",
				    4);
	}
	data_block_unref(sample.later.block);
	return has_memory;
}

static void a_sample_gets_what_was_read_for_it_alone(void **state)
{
	assert_int_equal(apply(*state, 100), 0);
	assert_true(meets(*state, 100));
	assert_false(meets(*state, 100));
}

static void earlier_samples_leave_it_and_later_ones_drop_it(void **state)
{
	assert_int_equal(apply(*state, 100), 0);
	assert_false(meets(*state, 99));
	assert_true(meets(*state, 100));
	assert_int_equal(apply(*state, 200), 0);
	assert_false(meets(*state, 300));
	assert_false(meets(*state, 200));
}

static void the_latest_record_counts(void **state)
{
	assert_int_equal(apply(*state, 100), 0);
	assert_int_equal(apply(*state, 200), 0);
	assert_false(meets(*state, 100));
	assert_true(meets(*state, 200));
	/* One that no sample takes goes with its thread. */
	assert_int_equal(apply(*state, 400), 0);
}

static void malformed_records_are_refused(void **state)
{
	struct perf_event_header record = { .type = RECORD_ATTACHMENT, .size = sizeof(record) };
	const struct raw_record raw = { .header = &record };
	struct fixture *fixture = *state;

	assert_int_equal(later_memory_apply(fixture->processes, &raw), -EINVAL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_sample_gets_what_was_read_for_it_alone),
		TEST(earlier_samples_leave_it_and_later_ones_drop_it),
		TEST(the_latest_record_counts),
		TEST(malformed_records_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
