#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cct/model/build_id.h"

static void build_ids_are_written_in_hex(void **state)
{
	char text[BUILD_ID_TEXT_SIZE];

	(void)state;
	build_id_format(&(struct build_id){ 3, { 0, 0x9a, 0xff } }, text);
	assert_string_equal(text, "009aff");
	build_id_format(&(struct build_id){ 0 }, text);
	assert_string_equal(text, "-");
}

static void what_was_written_is_read(void **state)
{
	struct build_id longest = { .size = BUILD_ID_MAX_SIZE }, parsed;
	char text[BUILD_ID_TEXT_SIZE];

	(void)state;
	for (uint8_t i = 0; i < BUILD_ID_MAX_SIZE; i++)
		longest.bytes[i] = (uint8_t)(i * 13);
	build_id_format(&longest, text);
	assert_true(build_id_parse(text, &parsed));
	assert_true(build_id_equal_exact(&parsed, &longest));
	assert_true(build_id_parse("-", &parsed));
	assert_int_equal(parsed.size, 0);
}

static void what_is_not_a_build_id_is_refused(void **state)
{
	const char *const wrong[] = { "a",    "abc",
				      "0x12", "--",
				      "12-4", "12 34",
				      "+1-1", "00112233445566778899aabbccddeeff0011223344" };
	struct build_id parsed;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		parsed.size = 7;
		assert_false(build_id_parse(wrong[i], &parsed));
		assert_int_equal(parsed.size, 0);
	}
}

static void zeros_after_a_build_id_count_only_where_it_is_exact(void **state)
{
	struct build_id plain = { 2, { 0xab, 0xcd } }, padded = { 20, { 0xab, 0xcd } };
	struct build_id other = { 3, { 0xab, 0xcd, 1 } };

	(void)state;
	assert_true(build_id_equal(&plain, &padded));
	assert_true(build_id_equal(&padded, &plain));
	assert_false(build_id_equal(&plain, &other));
	assert_false(build_id_equal(&padded, &other));
	assert_false(build_id_equal_exact(&plain, &padded));
	assert_true(build_id_equal_exact(&plain, &plain));
}

static void bytes_beyond_the_longest_build_id_are_left_out(void **state)
{
	struct build_id build_id = { 20, { 1, 2, 3, 4 } };
	uint8_t bytes[64];

	(void)state;
	memset(bytes, 0xee, sizeof(bytes));
	build_id_set(&build_id, bytes, sizeof(bytes));
	assert_int_equal(build_id.size, BUILD_ID_MAX_SIZE);
	build_id_set(&build_id, bytes, 2);
	assert_int_equal(build_id.size, 2);
	assert_int_equal(build_id.bytes[2], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_ids_are_written_in_hex),
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(what_is_not_a_build_id_is_refused),
		cmocka_unit_test(zeros_after_a_build_id_count_only_where_it_is_exact),
		cmocka_unit_test(bytes_beyond_the_longest_build_id_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
