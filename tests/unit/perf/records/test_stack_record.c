#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/records/stack_record.h"

enum { SPACE = 1024 };

static const struct stack_record_header example = {
	.kind = STACK_RECORD_REST,
	.n_words = 2,
	.pid = 10,
	.tid = 11,
	.time_ns = 12,
	.start = 0x1000,
	.end = 0x1100,
	.size = 21,
	.offset = 8,
	.part_size = 13,
};
static const uint64_t words[] = { 7, 8 };

/* Aligned as in a file. */
static struct perf_event_header *encode(uint64_t *space, const struct stack_record_header *header)
{
	struct perf_event_header *record = (struct perf_event_header *)space;

	memset(space, 0xff, SPACE);
	stack_record_encode(header, words, "thirteen char", record);
	return record;
}

static void what_is_encoded_is_decoded(void **state)
{
	uint64_t space[SPACE / 8];
	struct perf_event_header *record = encode(space, &example);
	struct stack_record decoded;

	(void)state;
	assert_int_equal(record->size, stack_record_size(2, 13));
	assert_int_equal(record->size % 8, 0);
	assert_true(stack_record_is_type(record));
	assert_true(stack_record_decode(record, &decoded));
	assert_int_equal(decoded.header.tid, 11);
	assert_int_equal(decoded.header.time_ns, 12);
	assert_int_equal(decoded.header.end, 0x1100);
	assert_memory_equal(decoded.words, words, sizeof(words));
	assert_memory_equal(decoded.bytes, "thirteen char", 13);
	assert_int_equal(decoded.bytes[13], 0);
}

static void the_largest_part_fits_a_record(void **state)
{
	(void)state;
	assert_true(stack_record_size(STACK_RECORD_WORDS_MAX, STACK_RECORD_PART_MAX) <= UINT16_MAX);
}

static void other_records_are_none(void **state)
{
	uint64_t space[SPACE / 8];
	struct perf_event_header *record = encode(space, &example);

	(void)state;
	record->type = PERF_RECORD_SAMPLE;
	assert_false(stack_record_is_type(record));
	record->type = RECORD_ATTACHMENT;
	record->size = 12;
	assert_false(stack_record_is_type(record));
	record = encode(space, &example);
	space[1]++;
	assert_false(stack_record_is_type(record));
}

static void lengths_that_contradict_each_other_are_refused(void **state)
{
	static const struct {
		const char *what;
		struct stack_record_header header;
	} broken[] = {
		{ "words", { .n_words = STACK_RECORD_WORDS_MAX + 1 } },
		{ "more words than the record holds", { .n_words = STACK_RECORD_WORDS_MAX } },
		{ "size", { .size = STACK_RECORD_SIZE_MAX + 1 } },
		{ "offset beyond the size", { .size = 8, .offset = 9 } },
		{ "part beyond the size", { .size = 8, .offset = 4, .part_size = 5 } },
		{ "part beyond the record", { .size = 60000, .part_size = 60000 } },
		{ "end of the address space", { .size = 8, .start = UINT64_MAX - 6 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		uint64_t space[SPACE / 8];
		struct perf_event_header *record = encode(space, &example);
		struct stack_record_header header = broken[i].header;
		struct stack_record decoded;

		header.magic = STACK_RECORD_MAGIC;
		memcpy(record + 1, &header, sizeof(header));
		if (stack_record_decode(record, &decoded))
			fail_msg("%s", broken[i].what);
	}
}

static void a_record_that_ends_early_is_refused(void **state)
{
	uint64_t space[SPACE / 8];
	struct perf_event_header *record = encode(space, &example);
	struct stack_record decoded;
	uint16_t size = record->size;

	(void)state;
	for (uint16_t cut = 8; cut < size - 3; cut++) {
		record->size = cut;
		assert_false(stack_record_decode(record, &decoded));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_encoded_is_decoded),
		cmocka_unit_test(the_largest_part_fits_a_record),
		cmocka_unit_test(other_records_are_none),
		cmocka_unit_test(lengths_that_contradict_each_other_are_refused),
		cmocka_unit_test(a_record_that_ends_early_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
