#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perf/records/sample_trim.h"
#include "tests/unit/fixtures/record_builder.h"

static const struct record_layout layout = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT,
	.regs_user_mask = 3,
	.sample_id_all = true,
};

/* @space bytes are reserved, and the first @valid of them are valid; the others are stale. */
static void make_sample(struct builder *builder, uint64_t space, uint64_t valid)
{
	begin_record(builder, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(builder, 7);
	put_u64(builder, 0x401000);
	put_pair(builder, 100, 101);
	put_u64(builder, PERF_SAMPLE_REGS_ABI_64);
	put_u64(builder, 1);
	put_u64(builder, 2);
	put_u64(builder, space);
	for (uint64_t i = 0; i < space; i++)
		put_bytes(builder, &(uint8_t){ i < valid ? (uint8_t)i : 0xee }, 1);
	if (space)
		put_u64(builder, valid);
	put_u64(builder, 99);
	end_record(builder);
}

static void a_sample_keeps_what_is_valid_of_its_stack(void **state)
{
	static const struct {
		uint64_t space, valid, used;
	} cases[] = {
		{ 16384, 16384, 16384 }, { 16384, 8000, 8000 }, { 16384, 8001, 8008 },
		{ 16384, 7, 8 },         { 16384, 0, 0 },       { 0, 0, 0 },
		{ 65000, 64000, 64000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder = { 0 };
		struct sample_trim trim;
		struct record record;

		make_sample(&builder, cases[i].space, cases[i].valid);
		const struct perf_event_header *header = (const void *)builder.bytes;
		sample_trim_init(&trim, &layout, header);
		uint64_t saved = cases[i].space - cases[i].used;
		if (cases[i].space && !cases[i].used)
			saved += 8; /* dyn_size goes with the bytes */
		assert_int_equal(trim.size, header->size - saved);
		struct perf_event_header *to = malloc(trim.size);
		sample_trim_copy(&trim, to);

		assert_int_equal(to->size, trim.size);
		assert_int_equal(to->misc, PERF_RECORD_MISC_USER);
		assert_int_equal(record_decode(&layout, to, &record), RECORD_OK);
		assert_int_equal(record.sample.user_stack_size, cases[i].valid);
		assert_int_equal(record.sample.user_stack_space, cases[i].used);
		assert_int_equal(record.sample.weight, 99);
		assert_int_equal(record.sample.ip, 0x401000);
		for (uint64_t b = 0; b < cases[i].used; b++)
			assert_int_equal(record.sample.user_stack[b],
					 b < cases[i].valid ? (uint8_t)b : 0);
		free(to);
		free(builder.bytes);
	}
}

static void a_stack_that_is_left_out_leaves_a_mark(void **state)
{
	struct builder builder = { 0 };
	struct sample_trim trim;
	struct record record;
	uint64_t to[32];

	(void)state;
	make_sample(&builder, 16384, 8000);
	sample_trim_init(&trim, &layout, (const void *)builder.bytes);
	assert_true(sample_trim_leave_stack_out(&trim));
	assert_in_range(trim.size, 1, sizeof(to));
	sample_trim_copy(&trim, to);
	assert_int_equal(record_decode(&layout, (const void *)to, &record), RECORD_OK);
	assert_int_equal(record.size, trim.size);
	assert_int_equal(record.misc, PERF_RECORD_MISC_USER | RECORD_MISC_STACK_LEFT_OUT);
	assert_int_equal(record.cpu_mode, PERF_RECORD_MISC_USER);
	assert_int_equal(record.sample.user_stack_size, 0);
	assert_int_equal(record.sample.user_regs.values[1], 2);
	assert_int_equal(record.sample.weight, 99);
	free(builder.bytes);
}

static void nothing_is_left_out_of_a_sample_without_stack(void **state)
{
	struct builder builder = { 0 };
	struct sample_trim trim;
	struct record record;
	uint64_t to[32];

	(void)state;
	make_sample(&builder, 64, 0);
	sample_trim_init(&trim, &layout, (const void *)builder.bytes);
	assert_false(sample_trim_leave_stack_out(&trim));
	sample_trim_copy(&trim, to);
	assert_int_equal(record_decode(&layout, (const void *)to, &record), RECORD_OK);
	assert_int_equal(record.misc, PERF_RECORD_MISC_USER);
	free(builder.bytes);
}

static void a_sample_that_makes_no_sense_is_left_as_it_is(void **state)
{
	struct builder builder = { 0 };
	struct sample_trim trim;

	(void)state;
	make_sample(&builder, 64, 32);
	/* The stack's size leads beyond the record. */
	memcpy(builder.bytes + 8 * 7, &(uint64_t){ 1 << 20 }, 8);
	const struct perf_event_header *header = (const void *)builder.bytes;
	sample_trim_init(&trim, &layout, header);
	assert_int_equal(trim.size, header->size);
	uint8_t *to = malloc(trim.size);
	sample_trim_copy(&trim, to);
	assert_memory_equal(to, builder.bytes, trim.size);
	free(to);
	free(builder.bytes);
}

static void a_sample_without_stack_is_left_as_it_is(void **state)
{
	struct record_layout no_stack = layout;
	struct builder builder = { 0 };
	struct sample_trim trim;

	(void)state;
	no_stack.sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
	make_sample(&builder, 64, 32);
	sample_trim_init(&trim, &no_stack, (const void *)builder.bytes);
	assert_int_equal(trim.size, builder.size);
	free(builder.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_keeps_what_is_valid_of_its_stack),
		cmocka_unit_test(a_stack_that_is_left_out_leaves_a_mark),
		cmocka_unit_test(nothing_is_left_out_of_a_sample_without_stack),
		cmocka_unit_test(a_sample_that_makes_no_sense_is_left_as_it_is),
		cmocka_unit_test(a_sample_without_stack_is_left_as_it_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
