/* Columns are read as they were written, and columns beyond the end are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/encoding/byte_columns.h"

static void numbers_are_split_into_as_many_bytes_as_the_largest_needs(void **state)
{
	static const uint32_t lists[][3] = {
		{ 0, 0, 0 }, { 1, 255, 3 }, { 256, 0, 65535 }, { UINT32_MAX, 1, 0x10203 }
	};
	static const unsigned widths[] = { 1, 1, 2, 4 };

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		struct byte_buffer body = { 0 };

		byte_columns_write(&body, lists[i], 3);
		assert_int_equal(body.size, 2 + 3 * widths[i]);
		struct dwarf_reader reader = dwarf_reader(body.bytes, body.size);
		struct byte_columns columns = byte_columns_read(&reader);
		for (size_t k = 0; k < 3; k++) {
			assert_false(byte_columns_are_over(&columns));
			assert_int_equal(byte_columns_next(&columns), lists[i][k]);
		}
		assert_true(byte_columns_are_over(&columns));
		assert_true(!reader.is_broken && !dwarf_left(&reader));
		byte_buffer_deinit(&body);
	}
}

static void no_numbers_have_no_width(void **state)
{
	struct byte_buffer body = { 0 };

	(void)state;
	byte_columns_write(&body, NULL, 0);
	assert_int_equal(body.size, 2);
	struct dwarf_reader reader = dwarf_reader(body.bytes, body.size);
	struct byte_columns columns = byte_columns_read(&reader);
	assert_true(!reader.is_broken && byte_columns_are_over(&columns));
	byte_buffer_deinit(&body);
}

static void numbers_without_bytes_are_refused(void **state)
{
	/* More numbers than bytes; without a width; with a width of five. */
	static const uint8_t bodies[][6] = { { 3, 2, 1, 1, 1, 1 }, { 4, 0 }, { 1, 5, 1, 1, 1, 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		struct dwarf_reader reader = dwarf_reader(bodies[i], sizeof(bodies[i]));
		struct byte_columns columns = byte_columns_read(&reader);

		assert_true(reader.is_broken && byte_columns_are_over(&columns));
	}
}

static void a_column_ends_where_it_was_said_to(void **state)
{
	static const uint8_t bytes[] = { 2, 7, 8, 9 };
	struct dwarf_reader reader = dwarf_reader(bytes, sizeof(bytes));
	struct dwarf_reader column = column_read(&reader);

	(void)state;
	assert_int_equal(dwarf_read_byte(&column), 7);
	assert_int_equal(dwarf_read_byte(&column), 8);
	assert_int_equal(dwarf_left(&column), 0);
	assert_int_equal(dwarf_read_byte(&reader), 9);
	reader = dwarf_reader(bytes, 2);
	column = column_read(&reader);
	assert_true(reader.is_broken && !dwarf_left(&column));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_split_into_as_many_bytes_as_the_largest_needs),
		cmocka_unit_test(no_numbers_have_no_width),
		cmocka_unit_test(numbers_without_bytes_are_refused),
		cmocka_unit_test(a_column_ends_where_it_was_said_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
