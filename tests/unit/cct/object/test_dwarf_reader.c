/* Numbers and strings from bytes that end too early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cct/object/dwarf_reader.h"

static void numbers_have_the_byte_order_of_the_file(void **state)
{
	static const uint8_t bytes[] = { 0x01, 0x02, 0x83 };
	struct dwarf_reader reader = dwarf_reader(bytes, sizeof(bytes));
	(void)state;

	assert_int_equal(dwarf_read_unsigned(&reader, 3), 0x830201);
	reader = dwarf_reader(bytes, sizeof(bytes));
	reader.is_big_endian = true;
	assert_int_equal(dwarf_read_unsigned(&reader, 3), 0x010283);
	reader = dwarf_reader(bytes, sizeof(bytes));
	assert_int_equal(dwarf_read_signed(&reader, 3), 0x830201 - 0x1000000);
	assert_false(reader.is_broken);
}

static void leb128_numbers_have_their_sign(void **state)
{
	/* DWARF 5, figures C.1 and C.3. */
	static const uint8_t bytes[] = { 0x80, 0x01, 0xff, 0x7e, 0x7f, 0x02 };
	struct dwarf_reader reader = dwarf_reader(bytes, sizeof(bytes));
	(void)state;

	assert_int_equal(dwarf_read_uleb(&reader), 128);
	assert_int_equal(dwarf_read_sleb(&reader), -129);
	assert_int_equal(dwarf_read_sleb(&reader), -1);
	assert_int_equal(dwarf_read_sleb(&reader), 2);
	assert_false(reader.is_broken);
	assert_int_equal(dwarf_left(&reader), 0);
}

static void leb128_numbers_of_64_bits_are_whole_and_longer_ones_are_refused(void **state)
{
	static const uint8_t largest[] = { 0xff, 0xff, 0xff, 0xff, 0xff,
					   0xff, 0xff, 0xff, 0xff, 0x01 };
	uint8_t endless[64];
	struct dwarf_reader reader = dwarf_reader(largest, sizeof(largest));
	(void)state;

	assert_true(dwarf_read_uleb(&reader) == UINT64_MAX);
	memset(endless, 0x80, sizeof(endless));
	reader = dwarf_reader(endless, sizeof(endless));
	dwarf_read_uleb(&reader);
	assert_true(reader.is_broken);
}

static void a_string_without_an_end_is_refused(void **state)
{
	static const uint8_t bytes[] = { 'a', 'b', 0, 'c', 'd' };
	struct dwarf_reader reader = dwarf_reader(bytes, sizeof(bytes));
	(void)state;

	assert_string_equal(dwarf_read_string(&reader, 3), "ab");
	assert_null(dwarf_read_string(&reader, 3));
	assert_true(reader.is_broken);
	reader = dwarf_reader(bytes, sizeof(bytes));
	assert_null(dwarf_read_string(&reader, 2));
}

static void nothing_is_read_after_what_is_not_there(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	struct dwarf_reader reader = dwarf_reader(bytes, sizeof(bytes));
	(void)state;

	assert_int_equal(dwarf_read_unsigned(&reader, 4), 0);
	assert_true(reader.is_broken);
	assert_int_equal(dwarf_read_byte(&reader), 0);
	assert_int_equal(dwarf_read_uleb(&reader), 0);
	assert_null(dwarf_read_block(&reader, 1));
	assert_false(dwarf_skip(&reader, 0));
	assert_int_equal(dwarf_left(&reader), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_the_byte_order_of_the_file),
		cmocka_unit_test(leb128_numbers_have_their_sign),
		cmocka_unit_test(leb128_numbers_of_64_bits_are_whole_and_longer_ones_are_refused),
		cmocka_unit_test(a_string_without_an_end_is_refused),
		cmocka_unit_test(nothing_is_read_after_what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
