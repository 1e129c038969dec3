#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "collector/database/row_binary.h"

static struct row_binary read_from(const void *bytes, size_t size)
{
	FILE *in = fmemopen((void *)bytes, size, "r");

	assert_non_null(in);
	return (struct row_binary){ .in = in };
}

static void finish(struct row_binary *rows)
{
	fclose(rows->in);
	row_binary_deinit(rows);
}

/* As ClickHouse 26.7 writes SELECT toUInt8(7), toUInt32(258), toUInt64(1), 1.5, 'abc', ['x', ''] */
static const uint8_t row[] = { 7, 2, 1, 0, 0,    1,    0, 0,   0,   0,   0, 0, 0,   0, 0,
			       0, 0, 0, 0, 0xf8, 0x3f, 3, 'a', 'b', 'c', 2, 1, 'x', 0 };

static void rows_are_read_column_by_column(void **state)
{
	struct row_binary rows = read_from(row, sizeof(row));

	(void)state;
	assert_true(row_binary_next(&rows));
	assert_int_equal(row_binary_byte(&rows), 7);
	assert_int_equal(row_binary_u32(&rows), 258);
	assert_int_equal(row_binary_u64(&rows), 1);
	assert_true(row_binary_f64(&rows) == 1.5);
	assert_string_equal(row_binary_text(&rows), "abc");
	assert_int_equal(row_binary_count(&rows, 2), 2);
	assert_string_equal(row_binary_text(&rows), "x");
	assert_string_equal(row_binary_text(&rows), "");
	assert_false(row_binary_next(&rows));
	assert_int_equal(row_binary_err(&rows), 0);
	finish(&rows);
}

static void a_row_that_is_cut_off_is_wrong_and_reads_as_zeros(void **state)
{
	struct row_binary rows = read_from(row, 3);

	(void)state;
	assert_int_equal(row_binary_byte(&rows), 7);
	assert_int_equal(row_binary_u32(&rows), 0);
	assert_string_equal(row_binary_text(&rows), "");
	assert_false(row_binary_next(&rows));
	assert_int_equal(row_binary_err(&rows), -EINVAL);
	finish(&rows);
}

static void sizes_that_are_too_large_are_wrong(void **state)
{
	static const uint8_t sizes[][11] = {
		{ 4 },
		{ 0xff, 0xff, 0xff, 0xff, 0x7f },
		{ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
		{ 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct row_binary rows = read_from(sizes[i], sizeof(sizes[i]));

		assert_int_equal(row_binary_count(&rows, 3), 0);
		assert_int_equal(row_binary_err(&rows), -EINVAL);
		finish(&rows);
	}
}

static void a_text_with_a_zero_is_wrong(void **state)
{
	static const uint8_t text[] = { 3, 'a', 0, 'b' };
	struct row_binary rows = read_from(text, sizeof(text));

	(void)state;
	assert_string_equal(row_binary_text(&rows), "");
	assert_int_equal(row_binary_err(&rows), -EINVAL);
	finish(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_read_column_by_column),
		cmocka_unit_test(a_row_that_is_cut_off_is_wrong_and_reads_as_zeros),
		cmocka_unit_test(sizes_that_are_too_large_are_wrong),
		cmocka_unit_test(a_text_with_a_zero_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
