#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/events/event_text.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static void assert_same_weight(const struct event_weight *got, const struct event_weight *expected)
{
	assert_int_equal(got->kind, expected->kind);
	assert_int_equal(got->offset, expected->offset);
	assert_int_equal(got->size, expected->size);
	assert_int_equal(got->is_signed, expected->is_signed);
	assert_int_equal(got->check, expected->check);
	assert_int_equal(got->argument, expected->argument);
	assert_int_equal(got->factor, expected->factor);
	assert_int_equal(got->condition, expected->condition);
}

static void what_is_written_is_read_again(void **state)
{
	(void)state;
	static const struct {
		struct event_weight weight;
		const char *unit, *text;
	} cases[] = {
		{ { .kind = WEIGHT_PERIOD }, "events", "" },
		{ { .kind = WEIGHT_PERIOD }, "bytes", "unit bytes\n" },
		{ { .kind = WEIGHT_FIELD, .offset = 16, .size = 8, .is_signed = true },
		  "bytes",
		  "unit bytes\nweight field 16 8 signed\n" },
		{ { .kind = WEIGHT_FIELD, .offset = 65535, .size = 1 },
		  "events",
		  "weight field 65535 1 unsigned\n" },
		{ { .kind = WEIGHT_FIELD, .offset = 16, .size = 4, .check = 20 },
		  "events",
		  "weight field 16 4 unsigned check 20\n" },
		{ { .kind = WEIGHT_ARGUMENT, .argument = 3 },
		  "bytes",
		  "unit bytes\nweight argument 3\n" },
		{ { .kind = WEIGHT_ARGUMENT, .argument = 1, .factor = 2 },
		  "events",
		  "weight argument 1 times 2\n" },
		{ { .kind = WEIGHT_ARGUMENT, .argument = 2, .factor = 3, .condition = 16 },
		  "events",
		  "weight argument 2 times 3 unless-zero 16\n" },
		{ { .kind = WEIGHT_OFF_CPU }, "ns", "unit ns\nweight off-cpu\n" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event event = {
			.attr = { .type = PERF_TYPE_TRACEPOINT },
			.weight = cases[i].weight,
			.unit = cases[i].unit,
		};
		struct event_weight weight = { .kind = WEIGHT_PERIOD };
		struct event_value value = { .kind = EVENT_VALUE_NONE };
		const char *unit = "events";
		char *text = event_text_write(&event);

		assert_string_equal(text, cases[i].text);
		event_text_read(text, &weight, &value, &unit);
		assert_same_weight(&weight, &cases[i].weight);
		assert_string_equal(unit, cases[i].unit);
		free(text);
	}
}

static void weights_that_make_no_sense_are_unknown(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"weight ",
		"weight of the world",
		"weight off-cpu 2",
		"weight field",
		"weight field 8",
		"weight field 8 8",
		"weight field 8 3 signed",
		"weight field 8 0 unsigned",
		"weight field -8 8 signed",
		"weight field 65536 8 signed",
		"weight field 8 8 maybe",
		"weight field 8 8 signed check 65536",
		"weight argument",
		"weight argument 0",
		"weight argument 17",
		"weight argument 99999999999999999999",
		"weight argument 1 times",
		"weight argument 1 times 0",
		"weight argument 1 plus 2",
		"weight argument 1 unless-zero 1 times 2",
	};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct event_weight weight = { .kind = WEIGHT_PERIOD };
		struct event_value value = { .kind = EVENT_VALUE_NONE };
		const char *unit = "events";

		event_text_read(texts[i], &weight, &value, &unit);
		if (weight.kind != WEIGHT_UNKNOWN)
			fail_msg("'%s' was understood", texts[i]);
	}
}

static void values_are_read_again(void **state)
{
	(void)state;
	static const struct event_value values[] = {
		{ EVENT_VALUE_SIGNED, 16, 4, 0, 0, "n", "0=RED -2=BLUE" },
		{ EVENT_VALUE_UNSIGNED, 16, 4, 3, 24, "p->flags", "" },
		{ EVENT_VALUE_ADDRESS, 65535, 8, 0, 0, "(*p).next", "" },
		{ EVENT_VALUE_BOOL, 16, 1, 0, 0, "is it", "" },
		{ EVENT_VALUE_CHARACTER, 16, 1, 0, 20, "*text", "" },
		{ EVENT_VALUE_FLOAT, 16, 8, 0, 24, "p->x", "" },
		{ EVENT_VALUE_STRING, 16, 4, 0, 0, "p->name", "" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct event event = { .unit = "events", .value = values[i] };
		struct event_weight weight = { .kind = WEIGHT_PERIOD };
		struct event_value value = { .kind = EVENT_VALUE_NONE };
		const char *unit = "events";
		char *text = event_text_write(&event);

		event_text_read(text, &weight, &value, &unit);
		free(text);
		assert_int_equal(weight.kind, WEIGHT_PERIOD);
		assert_int_equal(value.kind, values[i].kind);
		assert_int_equal(value.offset, values[i].offset);
		assert_int_equal(value.size, values[i].size);
		assert_int_equal(value.n_bits, values[i].n_bits);
		assert_int_equal(value.check, values[i].check);
		assert_string_equal(value.name, values[i].name);
		assert_string_equal(value.names, values[i].names);
	}
}

static void values_that_make_no_sense_are_none(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"value ",
		"value signed",
		"value signed 16 4 0 0",
		"value signed 16 4 0 0 ",
		"value none 16 4 0 0 n",
		"value round 16 4 0 0 n",
		"value signed 65536 4 0 0 n",
		"value signed 16 3 0 0 n",
		"value signed 16 4 33 0 n",
		"value signed 16 4 0 65536 n",
		"value string 16 8 0 0 n",
		"value string 16 4 1 0 n",
		"value float 16 2 0 0 n",
		"value signed 16 4 0 0 n\tm",
	};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct event_weight weight = { .kind = WEIGHT_PERIOD };
		struct event_value value = { .kind = EVENT_VALUE_NONE };
		const char *unit = "events";

		event_text_read(texts[i], &weight, &value, &unit);
		if (value.kind != EVENT_VALUE_NONE)
			fail_msg("'%s' was understood", texts[i]);
	}
}

static void numbers_have_their_names(void **state)
{
	static const struct {
		const char *names;
		uint8_t size, n_bits;
		uint64_t number;
		const char *name;
	} cases[] = {
		{ "0=RED 7=GREEN -2=BLUE", 4, 0, 7, "GREEN" },
		{ "0=RED 7=GREEN -2=BLUE", 4, 0, 0xfffffffe, "BLUE" },
		{ "0=RED 7=GREEN -2=BLUE", 4, 0, 0xfe, NULL },
		{ "0=RED 7=GREEN -2=BLUE", 1, 0, 0xfe, "BLUE" },
		{ "0=RED 7=GREEN -2=BLUE", 4, 3, 6, "BLUE" },
		{ "4294967295=ALL", 4, 0, 0xffffffff, "ALL" },
		{ "", 4, 0, 0, NULL },
		{ "0", 4, 0, 0, NULL },
		{ "x=RED", 4, 0, 0, NULL },
		{ "1=ONE,0=RED", 4, 0, 0, NULL },
		{ "9=  ", 4, 0, 1, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_value value = { .kind = EVENT_VALUE_SIGNED,
					     .size = cases[i].size,
					     .n_bits = cases[i].n_bits };
		size_t size;

		snprintf(value.names, sizeof(value.names), "%s", cases[i].names);
		const char *name = event_value_find_name(&value, cases[i].number, &size);
		if (!cases[i].name) {
			assert_null(name);
			continue;
		}
		assert_non_null(name);
		assert_int_equal(size, strlen(cases[i].name));
		assert_memory_equal(name, cases[i].name, size);
	}
}

static void names_of_no_value_or_that_could_do_harm_are_none(void **state)
{
	static const char *const texts[] = {
		"names 0=RED\nvalue signed 16 4 0 0 n",
		"value signed 16 4 0 0 n\nnames 0=\033[2J",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct event_weight weight = { .kind = WEIGHT_PERIOD };
		struct event_value value = { .kind = EVENT_VALUE_NONE };
		const char *unit = "events";

		event_text_read(texts[i], &weight, &value, &unit);
		assert_int_equal(value.kind, EVENT_VALUE_SIGNED);
		assert_string_equal(value.names, "");
	}
}

static void other_lines_are_skipped(void **state)
{
	(void)state;
	struct event_weight weight = { .kind = WEIGHT_PERIOD };
	struct event_value value = { .kind = EVENT_VALUE_NONE };
	const char *unit = "events";

	event_text_read("colour green\nunit furlongs\n\n\nweight argument 2\nunit bytes", &weight,
			&value, &unit);
	assert_int_equal(weight.kind, WEIGHT_ARGUMENT);
	assert_int_equal(weight.argument, 2);
	assert_string_equal(unit, "bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(weights_that_make_no_sense_are_unknown),
		cmocka_unit_test(values_are_read_again),
		cmocka_unit_test(values_that_make_no_sense_are_none),
		cmocka_unit_test(numbers_have_their_names),
		cmocka_unit_test(names_of_no_value_or_that_could_do_harm_are_none),
		cmocka_unit_test(other_lines_are_skipped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
