#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/pprof/protobuf.h"

static void expect_bytes(const struct byte_buffer *message, const char *bytes, size_t size)
{
	assert_false(message->lacks_memory);
	assert_int_equal(message->size, size);
	assert_memory_equal(message->bytes, bytes, size);
}

/* The examples of "Encoding", the description of the wire format. */
static void examples_of_the_description_are_encoded_as_there(void **state)
{
	struct byte_buffer message = { 0 }, outer = { 0 };

	(void)state;
	protobuf_field_number(&message, 1, 150);
	expect_bytes(&message, "\x08\x96\x01", 3);
	protobuf_field_message(&outer, 3, &message);
	expect_bytes(&outer, "\x1a\x03\x08\x96\x01", 5);
	byte_buffer_clear(&message);
	protobuf_field_bytes(&message, 2, "testing", 7);
	expect_bytes(&message, "\x12\x07testing", 9);
	byte_buffer_clear(&message);
	byte_buffer_add_unsigned(&message, 3);
	byte_buffer_add_unsigned(&message, 270);
	byte_buffer_add_unsigned(&message, 86942);
	byte_buffer_clear(&outer);
	protobuf_field_message(&outer, 6, &message);
	expect_bytes(&outer, "\x32\x06\x03\x8e\x02\x9e\xa7\x05", 8);
	byte_buffer_deinit(&message);
	byte_buffer_deinit(&outer);
}

static void zeros_are_left_out_but_not_empty_texts(void **state)
{
	struct byte_buffer message = { 0 };

	(void)state;
	protobuf_field_number(&message, 1, 0);
	assert_int_equal(message.size, 0);
	protobuf_field_bytes(&message, 6, NULL, 0);
	expect_bytes(&message, "\x32\x00", 2);
	byte_buffer_deinit(&message);
}

static void the_largest_number_takes_ten_bytes(void **state)
{
	struct byte_buffer message = { 0 };

	(void)state;
	byte_buffer_add_unsigned(&message, UINT64_MAX);
	expect_bytes(&message, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
	byte_buffer_deinit(&message);
}

static void choices_and_fixed_numbers_have_their_type(void **state)
{
	struct byte_buffer message = { 0 };

	(void)state;
	protobuf_field_choice(&message, 3, 0);
	expect_bytes(&message, "\x18\x00", 2);
	byte_buffer_clear(&message);
	protobuf_field_fixed(&message, 3, 0);
	assert_int_equal(message.size, 0);
	protobuf_field_fixed(&message, 3, 0x0102030405060708);
	expect_bytes(&message, "\x19\x08\x07\x06\x05\x04\x03\x02\x01", 9);
	byte_buffer_deinit(&message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_of_the_description_are_encoded_as_there),
		cmocka_unit_test(zeros_are_left_out_but_not_empty_texts),
		cmocka_unit_test(the_largest_number_takes_ten_bytes),
		cmocka_unit_test(choices_and_fixed_numbers_have_their_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
