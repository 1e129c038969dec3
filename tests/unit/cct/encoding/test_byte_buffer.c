/* Numbers and texts are read back as they were written, and have the bytes of LEB128. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/encoding/byte_buffer.h"
#include "cct/object/dwarf_reader.h"

static const int64_t numbers[] = {
	0, 1, -1, 2, 63, 64, -64, -65, 127, 128, -127, -128, 8191, 8192, INT64_MAX, INT64_MIN,
};
#define N_NUMBERS (sizeof(numbers) / sizeof(*numbers))

static void numbers_are_read_back(void **state)
{
	struct byte_buffer buffer = { 0 };

	(void)state;
	for (size_t i = 0; i < N_NUMBERS; i++) {
		byte_buffer_add_signed(&buffer, numbers[i]);
		byte_buffer_add_unsigned(&buffer, (uint64_t)numbers[i]);
	}
	assert_false(buffer.lacks_memory);
	struct dwarf_reader reader = dwarf_reader(buffer.bytes, buffer.size);
	for (size_t i = 0; i < N_NUMBERS; i++) {
		assert_int_equal(dwarf_read_sleb(&reader), numbers[i]);
		assert_int_equal(dwarf_read_uleb(&reader), (uint64_t)numbers[i]);
	}
	assert_false(reader.is_broken);
	assert_int_equal(dwarf_left(&reader), 0);
	byte_buffer_deinit(&buffer);
}

static void small_numbers_take_one_byte(void **state)
{
	struct byte_buffer buffer = { 0 };

	(void)state;
	byte_buffer_add_unsigned(&buffer, 127);
	byte_buffer_add_signed(&buffer, 63);
	byte_buffer_add_signed(&buffer, -64);
	assert_int_equal(buffer.size, 3);
	assert_memory_equal(buffer.bytes, "\x7f\x3f\x40", 3);
	byte_buffer_deinit(&buffer);
}

static void a_text_has_its_length_and_null_has_none(void **state)
{
	struct byte_buffer buffer = { 0 };

	(void)state;
	byte_buffer_add_text(&buffer, "abc");
	byte_buffer_add_text(&buffer, "");
	byte_buffer_add_text(&buffer, NULL);
	assert_int_equal(buffer.size, 6);
	assert_memory_equal(buffer.bytes, "\4abc\1\0", 6);
	byte_buffer_clear(&buffer);
	assert_int_equal(buffer.size, 0);
	byte_buffer_deinit(&buffer);
}

static void a_small_piece_is_one_with_the_next(void **state)
{
	const uint8_t bytes[1000] = { 0 };
	struct byte_buffer buffer = { 0 };

	(void)state;
	byte_buffer_end_piece(&buffer);
	byte_buffer_add(&buffer, bytes, 1000);
	byte_buffer_end_piece(&buffer);
	byte_buffer_end_piece(&buffer);
	byte_buffer_add(&buffer, bytes, 10);
	byte_buffer_end_piece(&buffer);
	byte_buffer_add(&buffer, bytes, 1000);
	byte_buffer_end_piece(&buffer);
	assert_int_equal(buffer.n_ends, 2);
	assert_int_equal(buffer.ends[0], 1000);
	assert_int_equal(buffer.ends[1], 2010);
	byte_buffer_clear(&buffer);
	assert_int_equal(buffer.n_ends, 0);
	byte_buffer_deinit(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_back),
		cmocka_unit_test(small_numbers_take_one_byte),
		cmocka_unit_test(a_text_has_its_length_and_null_has_none),
		cmocka_unit_test(a_small_piece_is_one_with_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
