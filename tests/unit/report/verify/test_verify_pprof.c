#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/pprof/pprof_fields.h"
#include "report/pprof/protobuf.h"
#include "report/verify/verify_pprof.h"

/* What a small profile has; each case changes one number of a sound one. */
struct numbers {
	uint64_t first_string_size, mapping, mapping_file, limit, location, location_mapping;
	uint64_t address, function, line_function, function_name, sample_location, n_values;
	uint64_t label_key, other_key, label_text, label_number, type, default_type;
};

static const struct numbers sound = {
	.mapping = 1,
	.mapping_file = 1,
	.limit = 0x2000,
	.location = 7,
	.location_mapping = 1,
	.address = 0x1fff,
	.function = 3,
	.line_function = 3,
	.function_name = 1,
	.sample_location = 7,
	.n_values = 1,
	.label_key = 1,
	.other_key = 2,
	.label_text = 2,
	.type = 1,
};

static void add(struct byte_buffer *profile, unsigned field, struct byte_buffer *message)
{
	protobuf_field_message(profile, field, message);
	byte_buffer_clear(message);
}

static void add_code(const struct numbers *numbers, struct byte_buffer *profile)
{
	struct byte_buffer message = { 0 }, line = { 0 };

	protobuf_field_number(&message, MAPPING_ID, numbers->mapping);
	protobuf_field_number(&message, MAPPING_START, 0x1000);
	protobuf_field_number(&message, MAPPING_LIMIT, numbers->limit);
	protobuf_field_number(&message, MAPPING_FILE, numbers->mapping_file);
	add(profile, PROFILE_MAPPING, &message);
	protobuf_field_number(&message, LOCATION_ID, numbers->location);
	protobuf_field_number(&message, LOCATION_MAPPING, numbers->location_mapping);
	protobuf_field_number(&message, LOCATION_ADDRESS, numbers->address);
	protobuf_field_number(&line, LINE_FUNCTION, numbers->line_function);
	protobuf_field_message(&message, LOCATION_LINE, &line);
	add(profile, PROFILE_LOCATION, &message);
	for (uint64_t id = 2; id <= 3; id++) {
		protobuf_field_number(&message, FUNCTION_ID, id == 2 ? 2 : numbers->function);
		protobuf_field_number(&message, FUNCTION_NAME, numbers->function_name);
		add(profile, PROFILE_FUNCTION, &message);
	}
	byte_buffer_deinit(&message);
	byte_buffer_deinit(&line);
}

static void add_label(struct byte_buffer *sample, uint64_t key, uint64_t text, uint64_t number)
{
	struct byte_buffer label = { 0 };

	protobuf_field_number(&label, LABEL_KEY, key);
	protobuf_field_number(&label, LABEL_TEXT, text);
	protobuf_field_number(&label, LABEL_NUMBER, number);
	protobuf_field_message(sample, SAMPLE_LABEL, &label);
	byte_buffer_deinit(&label);
}

static void add_sample(const struct numbers *numbers, struct byte_buffer *profile)
{
	struct byte_buffer message = { 0 }, list = { 0 };

	byte_buffer_add_unsigned(&list, numbers->sample_location);
	protobuf_field_message(&message, SAMPLE_LOCATIONS, &list);
	for (uint64_t i = 0; i < numbers->n_values; i++)
		protobuf_field_number(&message, SAMPLE_VALUES, 5); /* not packed */
	add_label(&message, numbers->label_key, numbers->label_text, numbers->label_number);
	add_label(&message, numbers->other_key, 0, 9);
	add(profile, PROFILE_SAMPLE, &message);
	protobuf_field_number(&message, VALUE_TYPE_TYPE, numbers->type);
	add(profile, PROFILE_SAMPLE_TYPE, &message);
	byte_buffer_deinit(&message);
	byte_buffer_deinit(&list);
}

static void make_profile(const struct numbers *numbers, struct byte_buffer *profile)
{
	add_sample(numbers, profile);
	add_code(numbers, profile);
	protobuf_field_bytes(profile, PROFILE_STRING, "x", numbers->first_string_size);
	protobuf_field_bytes(profile, PROFILE_STRING, "name", 4);
	protobuf_field_bytes(profile, PROFILE_STRING, "other", 5);
	protobuf_field_number(profile, PROFILE_DEFAULT_SAMPLE_TYPE, numbers->default_type);
}

static void expect(const uint8_t *bytes, size_t size, const char *problem)
{
	struct verification verification = { 0 };

	verify_pprof(&verification, bytes, size);
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
		CASE(n_values, 1, NULL),
		CASE(location_mapping, 0, NULL),
		CASE(first_string_size, 1, "string 0 is not empty"),
		CASE(mapping, 0, "a mapping has the ID 0"),
		CASE(mapping_file, 9, "mapping 1: there is no string 9 among 3"),
		CASE(limit, 0xfff, "mapping 1: its limit is below its start"),
		CASE(location_mapping, 2, "location 1: there is no mapping 2"),
		CASE(address, 0x2000, "location 1: its address 0x2000 is outside mapping 1"),
		CASE(address, 0xfff, "location 1: its address 0xfff is outside mapping 1"),
		CASE(function, 2, "two functions have the ID 2"),
		CASE(line_function, 4, "location 1: there is no function 4"),
		CASE(function_name, 3, "function 1: there is no string 3 among 3"),
		CASE(sample_location, 1, "sample 1: there is no location 1"),
		CASE(n_values, 2, "sample 1 has 2 values for 1 sample types"),
		CASE(label_key, 0, "sample 1 has a label without a key"),
		CASE(other_key, 1, "sample 1 has two labels with one key"),
		CASE(label_number, 1, "sample 1 has a label with a text and a number"),
		CASE(label_text, 3, "a label of sample 1: there is no string 3 among 3"),
		CASE(type, 3, "sample type 1: there is no string 3 among 3"),
		CASE(default_type, 8,
		     "the default sample type of profile 1: there is no string 8 among 3"),
	};
#undef CASE

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct numbers numbers = sound;
		struct byte_buffer profile = { 0 };

		memcpy((char *)&numbers + cases[i].member, &cases[i].value, sizeof(uint64_t));
		make_profile(&numbers, &profile);
		expect(profile.bytes, profile.size, cases[i].problem);
		byte_buffer_deinit(&profile);
	}
}

static void malformed_and_cut_bytes_are_found(void **state)
{
	(void)state;
	expect((const uint8_t *)"", 0, "there are no strings");
	expect((const uint8_t *)"\x0a\x05", 2, "the bytes before offset 2 are malformed");
	expect((const uint8_t *)"\x1f\x8b\x08", 3, "the compressed bytes are damaged or cut");
	expect((const uint8_t *)"\x32\x00\x32\x01\xff", 5, "string 1 is not UTF-8");
	expect((const uint8_t *)"\x32\x00\x32\x01\x00", 5, "string 1 has a zero byte");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_wrong_number_is_found_and_its_place_named),
		cmocka_unit_test(malformed_and_cut_bytes_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
