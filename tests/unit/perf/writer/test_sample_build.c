/* What is built is what is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/records/record.h"
#include "perf/writer/sample_build.h"

#define REGS_MASK 0x13ull
#define HEAD                                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define ALL                                                                  \
	(HEAD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

static const uint64_t callchain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010 };
static const uint64_t regs[] = { 11, 22, 33 };
static const char stack[24] = "what is on the stack";
static const struct sample_parts parts = {
	.id = 7,
	.ip = 0xffffffff81000010,
	.time_ns = 1234,
	.period = 1,
	.pid = 10,
	.tid = 11,
	.cpu = 3,
	.callchain = callchain,
	.n_callchain = 2,
	.raw = "raw data",
	.raw_size = 9,
	.abi = PERF_SAMPLE_REGS_ABI_64,
	.regs = regs,
	.stack = stack,
	.stack_size = sizeof(stack),
};
static _Alignas(8) char room[1 << 16];

static struct record_layout layout_of(uint64_t sample_type, uint64_t read_format)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					      .sample_type = sample_type,
					      .read_format = read_format,
					      .sample_regs_user = REGS_MASK,
					      .sample_id_all = 1 };
	struct record_layout layout;

	record_layout_init(&layout, &attr);
	return layout;
}

static struct record build(const struct record_layout *layout, const struct sample_parts *from)
{
	struct record record;
	size_t size = sample_build(layout, from, room, sizeof(room));

	assert_in_range(size, 8, UINT16_MAX);
	assert_int_equal(size % 8, 0);
	assert_int_equal(((struct perf_event_header *)room)->size, size);
	assert_int_equal(record_decode(layout, (struct perf_event_header *)room, &record),
			 RECORD_OK);
	assert_int_equal(record.time_ns, 1234);
	return record;
}

static void a_sample_has_all_the_parts_it_was_built_from(void **state)
{
	struct record_layout layout = layout_of(ALL, PERF_FORMAT_GROUP | PERF_FORMAT_ID);
	struct record record = build(&layout, &parts);
	const struct sample_record *sample = &record.sample;

	(void)state;
	assert_int_equal(record.cpu_mode, PERF_RECORD_MISC_KERNEL);
	assert_int_equal(record.pid, 10);
	assert_int_equal(record.tid, 11);
	assert_int_equal(record.cpu, 3);
	assert_int_equal(sample->ip, parts.ip);
	assert_int_equal(sample->period, 1);
	assert_int_equal(sample->n_callchain, 2);
	assert_memory_equal(sample->callchain, callchain, sizeof(callchain));
	assert_int_equal(sample->raw_size, 12);
	assert_memory_equal(sample->raw, "raw data\0\0\0", 12);
	assert_int_equal(sample->user_regs.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_memory_equal(sample->user_regs.values, regs, sizeof(regs));
	assert_int_equal(sample->user_stack_size, sizeof(stack));
	assert_memory_equal(sample->user_stack, stack, sizeof(stack));
}

static void counters_are_zeros_in_every_format(void **state)
{
	(void)state;
	for (uint64_t format = 0; format < 32; format++) {
		struct record_layout layout = layout_of(ALL, format);
		struct record record = build(&layout, &parts);

		assert_int_equal(record.sample.user_stack_size, sizeof(stack));
	}
}

static void a_thread_of_the_kernel_has_no_user_part(void **state)
{
	struct record_layout layout = layout_of(ALL, 0);
	struct sample_parts kernel = parts;

	(void)state;
	kernel.abi = PERF_SAMPLE_REGS_ABI_NONE;
	struct record record = build(&layout, &kernel);
	assert_false(record.sample.has_user_regs);
	assert_int_equal(record.sample.user_stack_size, 0);
}

static void the_largest_stack_fills_a_record(void **state)
{
	struct record_layout layout = layout_of(ALL, 0);
	struct sample_parts large = parts;

	(void)state;
	large.stack_size = sample_build_stack_max(&layout, &parts);
	large.stack = calloc(1, large.stack_size + 8);
	assert_in_range(large.stack_size, 65000, UINT16_MAX);
	struct record record = build(&layout, &large);
	assert_int_equal(record.sample.user_stack_size, large.stack_size);
	assert_int_equal(sample_build(&layout, &large, room, 60000), 0);
	large.stack_size += 8;
	assert_int_equal(sample_build(&layout, &large, room, sizeof(room)), 0);
	free((void *)large.stack);
}

static void a_layout_with_branches_has_none(void **state)
{
	struct record_layout layout = layout_of(ALL | PERF_SAMPLE_BRANCH_STACK, 0);

	(void)state;
	layout.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX;
	struct record record = build(&layout, &parts);
	assert_int_equal(record.sample.n_branches, 0);
	assert_int_equal(record.sample.user_stack_size, parts.stack_size);
}

static void layouts_with_other_fields_are_refused(void **state)
{
	struct record_layout layout = layout_of(ALL | PERF_SAMPLE_DATA_SRC, 0);

	(void)state;
	assert_int_equal(sample_build(&layout, &parts, room, sizeof(room)), 0);
	layout = layout_of(HEAD, 0);
	assert_int_equal(sample_build(&layout, &parts, room, sizeof(room)), 8 + 6 * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_has_all_the_parts_it_was_built_from),
		cmocka_unit_test(counters_are_zeros_in_every_format),
		cmocka_unit_test(a_layout_with_branches_has_none),
		cmocka_unit_test(a_thread_of_the_kernel_has_no_user_part),
		cmocka_unit_test(the_largest_stack_fills_a_record),
		cmocka_unit_test(layouts_with_other_fields_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
