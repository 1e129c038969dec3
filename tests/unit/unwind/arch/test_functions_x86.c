/* Where functions begin, by their bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unwind/arch/functions_x86.h"

static void functions_are_seen_to_begin(void **state)
{
	const uint8_t padding[] = { 0x66, 0x90, 0xc3 }, push[] = { 0x53, 0xc3 };
	const uint8_t frame[] = { 0x55, 0x48, 0x89, 0xe5 }, body[] = { 0x48, 0x89, 0xc3 };

	(void)state;
	assert_true(x86_is_function_start(padding, sizeof(padding), 14));
	assert_false(x86_is_function_start(padding, sizeof(padding), 13));
	assert_true(x86_is_function_start(push, sizeof(push), 0));
	assert_false(x86_is_function_start(push, sizeof(push), 3));
	assert_true(x86_is_function_start(frame, sizeof(frame), 3));
	assert_false(x86_is_function_start(body, sizeof(body), 0));
	assert_false(x86_is_function_start(body, 0, 5));
}

static void main_is_found_where_it_is_passed_on(void **state)
{
	const uint8_t relative[] = { 0x31, 0xed, 0x48, 0x8d, 0x3d, 0x10, 0, 0, 0 };
	const uint8_t absolute[] = { 0x31, 0xed, 0x48, 0xc7, 0xc7, 0x00, 0x10, 0x40, 0 };
	const uint8_t none[] = { 0x31, 0xed, 0xc3 };
	uint64_t addr;

	(void)state;
	assert_true(x86_64_find_main(relative, sizeof(relative), 0x1000, &addr));
	assert_int_equal(addr, 0x1019);
	assert_true(x86_64_find_main(absolute, sizeof(absolute), 0x1000, &addr));
	assert_int_equal(addr, 0x401000);
	assert_false(x86_64_find_main(none, sizeof(none), 0x1000, &addr));
	assert_false(x86_64_find_main(absolute, 5, 0x1000, &addr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_seen_to_begin),
		cmocka_unit_test(main_is_found_where_it_is_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
