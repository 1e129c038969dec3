#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/records/memory_record.h"

#define SPACE (MEMORY_RECORD_SIZE_MAX / sizeof(uint64_t) + 1)

static const struct memory_part parts[] = { { .addr = 0x1000, .size = 5 },
					    { .addr = 0x2000, .size = 8 } };
static const struct memory_record example = {
	.header = { .pid = 10,
		    .tid = 11,
		    .time_ns = 1000,
		    .delay_ns = 7,
		    .outcome = MEMORY_UNMAPPED,
		    .n_parts = 2 },
	.parts = parts,
	.bytes = (const uint8_t *)"first2ndbytes",
	.n_bytes = 13,
};

/* Aligned as in a file. */
static struct perf_event_header *encode(uint64_t *space, const struct memory_record *record)
{
	struct perf_event_header *to = (struct perf_event_header *)space;

	memset(space, 0xff, SPACE * sizeof(*space));
	memory_record_encode(record, to);
	return to;
}

static void what_is_encoded_is_decoded(void **state)
{
	uint64_t space[SPACE];
	struct perf_event_header *record = encode(space, &example);
	struct memory_record decoded;

	(void)state;
	assert_int_equal(record->size, 8 + 40 + 2 * 16 + 16);
	assert_true(memory_record_is_type(record));
	assert_true(memory_record_decode(record, &decoded));
	assert_int_equal(decoded.header.tid, 11);
	assert_int_equal(decoded.header.delay_ns, 7);
	assert_int_equal(decoded.header.outcome, MEMORY_UNMAPPED);
	assert_int_equal(decoded.n_bytes, 13);
	assert_memory_equal(decoded.bytes, "first2ndbytes\0\0\0", 16);
}

static void it_is_sorted_before_its_sample(void **state)
{
	uint64_t space[SPACE], time_ns;
	struct perf_event_header *record = encode(space, &example);

	(void)state;
	assert_true(memory_record_peek_time(record, &time_ns));
	assert_int_equal(time_ns, 999);
	record->size = 40;
	assert_false(memory_record_peek_time(record, &time_ns));
}

static void bytes_are_found_by_their_address(void **state)
{
	bool is_at_sample = false;

	(void)state;
	assert_memory_equal(memory_record_find(&example, 0x1000, 5, &is_at_sample), "first", 5);
	assert_memory_equal(memory_record_find(&example, 0x2003, 5, &is_at_sample), "bytes", 5);
	assert_null(memory_record_find(&example, 0x1001, 5, &is_at_sample));
	assert_null(memory_record_find(&example, 0xfff, 2, &is_at_sample));
	assert_null(memory_record_find(&example, 0x2000, SIZE_MAX, &is_at_sample));
	assert_null(memory_record_find(&example, UINT64_MAX, 1, &is_at_sample));
}

static void parts_say_when_they_were_read(void **state)
{
	const struct memory_part two[] = { { .addr = 0x1000, .size = 4, .is_at_sample = 1 },
					   { .addr = 0x2000, .size = 4 } };
	struct memory_record record = { .header = { .n_parts = 2 },
					.parts = two,
					.bytes = (const uint8_t *)"onetwo__",
					.n_bytes = 8 };
	bool is_at_sample = false;

	(void)state;
	assert_non_null(memory_record_find(&record, 0x1000, 4, &is_at_sample));
	assert_true(is_at_sample);
	assert_non_null(memory_record_find(&record, 0x2000, 4, &is_at_sample));
	assert_false(is_at_sample);
	assert_false(memory_record_is_at_sample(&record));
	record.header.n_parts = 1;
	assert_true(memory_record_is_at_sample(&record));
	record.header.n_parts = 0;
	assert_false(memory_record_is_at_sample(&record));
}

static void without_parts_it_says_why(void **state)
{
	const struct memory_record failed = { .header = { .outcome = MEMORY_GONE } };
	uint64_t space[SPACE];
	struct memory_record decoded;
	bool is_at_sample;

	(void)state;
	assert_true(memory_record_decode(encode(space, &failed), &decoded));
	assert_int_equal(decoded.n_bytes, 0);
	assert_null(memory_record_find(&decoded, 0, 1, &is_at_sample));
	for (int i = MEMORY_READ + 1; i < N_MEMORY_OUTCOMES; i++)
		assert_non_null(memory_outcome_text((enum memory_outcome)i));
}

static void the_largest_one_fits_a_record(void **state)
{
	static const uint8_t bytes[MEMORY_BYTES_MAX];
	static struct memory_part many[MEMORY_PARTS_MAX];
	const struct memory_record largest = { .header = { .n_parts = MEMORY_PARTS_MAX },
					       .parts = many,
					       .bytes = bytes,
					       .n_bytes = MEMORY_BYTES_MAX };
	uint64_t space[SPACE];
	struct memory_record decoded;

	(void)state;
	for (int i = 0; i < MEMORY_PARTS_MAX; i++)
		many[i].size = MEMORY_BYTES_MAX / MEMORY_PARTS_MAX;
	assert_true(MEMORY_RECORD_SIZE_MAX <= UINT16_MAX);
	assert_int_equal(encode(space, &largest)->size, MEMORY_RECORD_SIZE_MAX);
	assert_true(memory_record_decode((struct perf_event_header *)space, &decoded));
}

static void lengths_that_contradict_each_other_are_refused(void **state)
{
	uint64_t space[SPACE];
	struct perf_event_header *record = encode(space, &example);
	struct memory_record_header *header = (struct memory_record_header *)(record + 1);
	struct memory_part *part = (struct memory_part *)(header + 1);
	struct memory_record decoded;

	(void)state;
	for (uint16_t size = record->size - 4; size > 0; size--) {
		record->size = size;
		assert_false(memory_record_decode(record, &decoded));
	}
	record = encode(space, &example);
	part->size = MEMORY_BYTES_MAX;
	assert_false(memory_record_decode(record, &decoded));
	record = encode(space, &example);
	header->n_parts = MEMORY_PARTS_MAX + 1;
	assert_false(memory_record_decode(record, &decoded));
	record = encode(space, &example);
	header->outcome = N_MEMORY_OUTCOMES;
	assert_false(memory_record_decode(record, &decoded));
	record = encode(space, &example);
	header->magic++;
	assert_false(memory_record_is_type(record));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_encoded_is_decoded),
		cmocka_unit_test(it_is_sorted_before_its_sample),
		cmocka_unit_test(bytes_are_found_by_their_address),
		cmocka_unit_test(parts_say_when_they_were_read),
		cmocka_unit_test(without_parts_it_says_why),
		cmocka_unit_test(the_largest_one_fits_a_record),
		cmocka_unit_test(lengths_that_contradict_each_other_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
