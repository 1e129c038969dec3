#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/replay/sample_weight.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* AX BX CX DX SI DI BP SP IP FLAGS CS SS R8..R15 */
#define X86_MASK 0xff0fffull
static const uint64_t x86_values[] = { 0, 0, 104, 103, 102, 101, 0, 0x7ffe0000, 0x1000, 0,
				       0, 0, 105, 106, 0,   0,   0, 0,          0,      0 };
/* At a function's entry: the return address, then arguments. */
static const uint64_t stack64[] = { 0x2000, 107, 108 };
static const uint32_t stack32[] = { 0x2000, 201, 202, 0 };

static void weigh(const struct record *record, const struct event_weight *weight, bool is_there,
		  uint64_t expected)
{
	struct data_file_event event = { .weight = *weight, .attr.sample_period = 7 };
	uint64_t got;

	assert_int_equal(sample_weight(record, &event, machine_find("x86_64"), &got), is_there);
	if (is_there)
		assert_int_equal(got, expected);
}

static void fields_of_all_widths_are_read(void **state)
{
	(void)state;
	static const uint8_t raw[] = { 1, 2, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 5 };
	static const struct {
		uint16_t offset, size;
		bool is_signed, is_there;
		uint64_t value;
	} cases[] = {
		{ 0, 1, false, true, 1 },
		{ 0, 2, true, true, 0x201 },
		{ 2, 1, false, true, 0xfe },
		{ 2, 1, true, true, 0 }, /* negative */
		{ 2, 2, true, true, 0 },
		{ 2, 4, true, true, 0 },
		{ 2, 8, true, true, 0 },
		{ 2, 4, false, true, 0xfffffffe },
		{ 2, 8, false, true, UINT64_MAX - 1 },
		{ 10, 1, true, true, 5 },
		{ 10, 2, true, false, 0 },
		{ 11, 1, true, false, 0 },
		{ 65535, 8, true, false, 0 },
	};
	struct record record = { .sample = { .raw = raw, .raw_size = sizeof(raw), .period = 1 } };

	record.sample.has_period = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_weight weight = {
			.kind = WEIGHT_FIELD,
			.offset = cases[i].offset,
			.size = cases[i].size,
			.is_signed = cases[i].is_signed,
		};
		weigh(&record, &weight, cases[i].is_there, cases[i].value);
	}
	record.sample.raw = NULL;
	record.sample.raw_size = 0;
	weigh(&record, &(struct event_weight){ .kind = WEIGHT_FIELD, .size = 8 }, false, 0);
}

static void a_sample_stands_for_its_period_times_the_value(void **state)
{
	(void)state;
	static const uint8_t raw[] = { 100 };
	struct record record = { .sample = { .raw = raw, .raw_size = 1, .period = 3 } };
	const struct event_weight by_field = { .kind = WEIGHT_FIELD, .size = 1 };

	weigh(&record, &by_field, true, 700); /* the attr's period */
	record.sample.has_period = true;
	weigh(&record, &by_field, true, 300);
	weigh(&record, &(struct event_weight){ .kind = WEIGHT_PERIOD }, true, 3);
	record.sample.period = UINT64_MAX;
	weigh(&record, &by_field, false, 0);
	weigh(&record, &(struct event_weight){ .kind = WEIGHT_UNKNOWN }, false, 0);
	weigh(&record, &(struct event_weight){ .kind = WEIGHT_OFF_CPU }, false, 0);
}

static struct record x86_record(uint64_t abi, const void *stack, size_t stack_size)
{
	struct record record = {
		.sample = { .period = 1,
			    .user_regs = { abi, X86_MASK, x86_values },
			    .user_stack = stack,
			    .user_stack_size = stack_size },
	};

	record.sample.has_period = true;
	record.sample.has_user_regs = true;
	return record;
}

static void arguments_are_in_registers_and_then_on_the_stack(void **state)
{
	(void)state;
	struct record x86_64 = x86_record(PERF_SAMPLE_REGS_ABI_64, stack64, sizeof(stack64));
	struct record i386 = x86_record(PERF_SAMPLE_REGS_ABI_32, stack32, sizeof(stack32));
	struct event_weight weight = { .kind = WEIGHT_ARGUMENT };

	for (weight.argument = 1; weight.argument <= 8; weight.argument++)
		weigh(&x86_64, &weight, true, 100 + weight.argument);
	weigh(&x86_64, &weight, false, 0);
	for (weight.argument = 1; weight.argument <= 2; weight.argument++)
		weigh(&i386, &weight, true, 200 + weight.argument);
	weight.argument = 4;
	weigh(&i386, &weight, false, 0);
}

static void products_and_conditions_of_arguments_are_followed(void **state)
{
	(void)state;
	struct record i386 = x86_record(PERF_SAMPLE_REGS_ABI_32, stack32, sizeof(stack32));
	struct event_weight weight = { .kind = WEIGHT_ARGUMENT, .argument = 1, .factor = 2 };

	weigh(&i386, &weight, true, 201 * 202);
	weight.condition = 2;
	weigh(&i386, &weight, true, 201 * 202);
	weight.condition = 3; /* which is 0 */
	weigh(&i386, &weight, true, 0);
	weight.condition = 4; /* which is not there */
	weigh(&i386, &weight, false, 0);
}

static void arguments_need_registers(void **state)
{
	(void)state;
	struct record record = x86_record(PERF_SAMPLE_REGS_ABI_64, NULL, 0);
	struct event_weight weight = { .kind = WEIGHT_ARGUMENT, .argument = 7 };

	weigh(&record, &weight, false, 0);
	weight.argument = 0;
	weigh(&record, &weight, false, 0);
	weight.argument = 1;
	weigh(&record, &weight, true, 101);
	record.sample.has_user_regs = false;
	weigh(&record, &weight, false, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_all_widths_are_read),
		cmocka_unit_test(a_sample_stands_for_its_period_times_the_value),
		cmocka_unit_test(arguments_are_in_registers_and_then_on_the_stack),
		cmocka_unit_test(products_and_conditions_of_arguments_are_followed),
		cmocka_unit_test(arguments_need_registers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
