#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/formats/otlp_fields.h"
#include "report/pprof/protobuf.h"
#include "report/verify/verify_otlp.h"

/* What a small message has; each case changes one number of a sound one. */
struct numbers {
	uint64_t lacks_stack_0, link_byte, file, address, function, second_string,
		location_of_stack;
	uint64_t key, stack, link, first_attribute, second_attribute, n_times, time;
	uint64_t type, second_stack_of_samples;
};

static const struct numbers sound = {
	.file = 1,
	.address = 0x10,
	.function = 1,
	.second_string = 'b',
	.location_of_stack = 1,
	.key = 2,
	.stack = 1,
	.first_attribute = 1,
	.second_attribute = 2,
	.n_times = 2,
	.time = 1099,
	.type = 1,
	.second_stack_of_samples = 0,
};

static void add(struct byte_buffer *whole, unsigned field, struct byte_buffer *message)
{
	protobuf_field_message(whole, field, message);
	byte_buffer_clear(message);
}

static void add_list(struct byte_buffer *message, unsigned field, const uint64_t *numbers, size_t n)
{
	struct byte_buffer list = { 0 };

	for (size_t i = 0; i < n; i++)
		byte_buffer_add_unsigned(&list, numbers[i]);
	protobuf_field_message(message, field, &list);
	byte_buffer_deinit(&list);
}

static void add_zeros(const struct numbers *numbers, struct byte_buffer *dictionary)
{
	struct byte_buffer message = { 0 };
	uint8_t trace[16] = { (uint8_t)numbers->link_byte };

	for (unsigned table = OTLP_MAPPING_TABLE; table <= OTLP_STACK_TABLE; table++) {
		if (table == OTLP_LINK_TABLE)
			protobuf_field_bytes(&message, OTLP_LINK_TRACE, trace, sizeof(trace));
		if (table != OTLP_STACK_TABLE || !numbers->lacks_stack_0)
			add(dictionary, table, &message);
	}
	byte_buffer_deinit(&message);
}

static void add_attributes(const struct numbers *numbers, struct byte_buffer *dictionary)
{
	struct byte_buffer message = { 0 }, value = { 0 };

	for (uint64_t i = 1; i <= 2; i++) {
		byte_buffer_clear(&value);
		protobuf_field_choice(&value, OTLP_INTEGER, i);
		protobuf_field_number(&message, OTLP_ATTRIBUTE_KEY, i == 1 ? 1 : numbers->key);
		protobuf_field_message(&message, OTLP_ATTRIBUTE_VALUE, &value);
		add(dictionary, OTLP_ATTRIBUTE_TABLE, &message);
	}
	byte_buffer_deinit(&message);
	byte_buffer_deinit(&value);
}

static void add_dictionary(const struct numbers *numbers, struct byte_buffer *dictionary)
{
	struct byte_buffer message = { 0 }, line = { 0 };

	add_zeros(numbers, dictionary);
	protobuf_field_bytes(dictionary, OTLP_STRING_TABLE, "a", 1);
	protobuf_field_bytes(dictionary, OTLP_STRING_TABLE,
			     &(uint8_t){ (uint8_t)numbers->second_string }, 1);
	protobuf_field_number(&message, OTLP_MAPPING_START, 0x10);
	protobuf_field_number(&message, OTLP_MAPPING_LIMIT, 0x20);
	protobuf_field_number(&message, OTLP_MAPPING_FILE, numbers->file);
	add(dictionary, OTLP_MAPPING_TABLE, &message);
	protobuf_field_number(&message, OTLP_FUNCTION_NAME, 1);
	add(dictionary, OTLP_FUNCTION_TABLE, &message);
	protobuf_field_number(&message, OTLP_LOCATION_MAPPING, 1);
	protobuf_field_number(&message, OTLP_LOCATION_ADDRESS, numbers->address);
	protobuf_field_number(&line, OTLP_LINE_FUNCTION, numbers->function);
	protobuf_field_message(&message, OTLP_LOCATION_LINES, &line);
	add(dictionary, OTLP_LOCATION_TABLE, &message);
	add_list(&message, OTLP_STACK_LOCATIONS, &numbers->location_of_stack, 1);
	add(dictionary, OTLP_STACK_TABLE, &message);
	add_attributes(numbers, dictionary);
	byte_buffer_deinit(&message);
	byte_buffer_deinit(&line);
}

static void add_sample(const struct numbers *numbers, uint64_t stack, struct byte_buffer *profile)
{
	const uint64_t attributes[] = { numbers->first_attribute, numbers->second_attribute };
	struct byte_buffer message = { 0 }, times = { 0 };

	protobuf_field_number(&message, OTLP_SAMPLE_STACK, stack);
	protobuf_field_number(&message, OTLP_SAMPLE_LINK, numbers->link);
	add_list(&message, OTLP_SAMPLE_ATTRIBUTES, attributes, 2);
	add_list(&message, OTLP_SAMPLE_VALUES, (uint64_t[]){ 5, 6 }, 2);
	for (uint64_t i = 0; i < numbers->n_times; i++)
		protobuf_add_fixed(&times, numbers->time);
	protobuf_field_message(&message, OTLP_SAMPLE_TIMES, &times);
	add(profile, OTLP_SAMPLES, &message);
	byte_buffer_deinit(&message);
	byte_buffer_deinit(&times);
}

static void make_message(const struct numbers *numbers, struct byte_buffer *whole)
{
	struct byte_buffer dictionary = { 0 }, profile = { 0 }, scope = { 0 }, resource = { 0 };
	struct byte_buffer type = { 0 };

	protobuf_field_number(&type, OTLP_TYPE, numbers->type);
	protobuf_field_message(&profile, OTLP_SAMPLE_TYPE, &type);
	protobuf_field_fixed(&profile, OTLP_TIME, 1000);
	protobuf_field_number(&profile, OTLP_DURATION, 100);
	add_sample(numbers, numbers->stack, &profile);
	add_sample(numbers, numbers->second_stack_of_samples, &profile);
	add(&scope, OTLP_PROFILES, &profile);
	add(&resource, OTLP_SCOPE_PROFILES, &scope);
	add(whole, OTLP_RESOURCE_PROFILES, &resource);
	add_dictionary(numbers, &dictionary);
	add(whole, OTLP_DICTIONARY, &dictionary);
	byte_buffer_deinit(&dictionary);
	byte_buffer_deinit(&profile);
	byte_buffer_deinit(&scope);
	byte_buffer_deinit(&resource);
	byte_buffer_deinit(&type);
}

static void expect(const struct byte_buffer *message, const char *problem)
{
	struct verification verification = { 0 };

	verify_otlp(&verification, message->bytes, message->size);
	assert_false(verification.lacks_memory);
	if (problem) {
		assert_non_null(verification.problem);
		assert_string_equal(verification.problem, problem);
	} else {
		assert_null(verification.problem);
	}
	verification_deinit(&verification);
}

static void each_wrong_number_is_found_and_its_place_named(void **state)
{
#define CASE(member, value, problem)                             \
	{                                                        \
		offsetof(struct numbers, member), value, problem \
	}
	static const struct {
		size_t member;
		uint64_t value;
		const char *problem;
	} cases[] = {
		CASE(stack, 1, NULL),
		CASE(n_times, 0, NULL),
		CASE(lacks_stack_0, 1, "stack 0 is missing, or is not the zero value"),
		CASE(link_byte, 1, "link 0 is missing, or is not the zero value"),
		CASE(file, 3, "mapping 1: there is no string 3 in the table of 3"),
		CASE(address, 0x20, "location 1: its address 0x20 is outside mapping 1"),
		CASE(function, 2, "location 1: there is no function 2 in the table of 2"),
		CASE(second_string, 'a', "strings 1 and 2 are equal"),
		CASE(second_string, 0xff, "string 2 is not UTF-8"),
		CASE(location_of_stack, 2, "stack 1: there is no location 2 in the table of 2"),
		CASE(key, 0, "attribute 2 has no key"),
		CASE(key, 1, "sample 1 has two attributes with one key"),
		CASE(stack, 2, "sample 1: there is no stack 2 in the table of 2"),
		CASE(link, 1, "sample 1: there is no link 1 in the table of 1"),
		CASE(first_attribute, 3, "sample 1: there is no attribute 3 in the table of 3"),
		CASE(n_times, 1, "sample 1 has 2 values and 1 times"),
		CASE(time, 1100, "profile 1: a sample has the time 1100, which is outside of it"),
		CASE(time, 999, "profile 1: a sample has the time 999, which is outside of it"),
		CASE(type, 3, "the type of profile 1: there is no string 3 in the table of 3"),
		CASE(second_stack_of_samples, 1,
		     "samples 1 and 2 of profile 1 have the same stack and attributes"),
	};
#undef CASE

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct numbers numbers = sound;
		struct byte_buffer message = { 0 };

		memcpy((char *)&numbers + cases[i].member, &cases[i].value, sizeof(uint64_t));
		make_message(&numbers, &message);
		expect(&message, cases[i].problem);
		byte_buffer_deinit(&message);
	}
}

static void cut_messages_are_found(void **state)
{
	struct byte_buffer message = { 0 };

	(void)state;
	make_message(&sound, &message);
	const size_t size = message.size;
	for (message.size = 0; message.size < size; message.size++) {
		struct verification verification = { 0 };

		verify_otlp(&verification, message.bytes, message.size);
		assert_non_null(verification.problem);
		verification_deinit(&verification);
	}
	byte_buffer_deinit(&message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_wrong_number_is_found_and_its_place_named),
		cmocka_unit_test(cut_messages_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
