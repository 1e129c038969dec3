/* Code in memory: the bytes from an address on, as far as its pages are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cct/code/memory_code.h"

#define PAGE MEMORY_PAGE_SIZE

static void bytes_are_found_up_to_the_first_unknown_page(void **state)
{
	static const uint8_t bytes[4][PAGE] = { { 1 }, { 2 }, { 3 }, { 4 } };
	struct memory_page pages[] = {
		{ .pid = 9, .addr = 3 * PAGE, .bytes = bytes[2], .machine = 3 },
		{ .pid = 9, .addr = PAGE, .bytes = bytes[0], .machine = 3 },
		{ .pid = 10, .addr = 4 * PAGE, .bytes = bytes[3], .machine = 62 },
		{ .pid = 9, .addr = 2 * PAGE, .bytes = bytes[1], .machine = 3 },
	};
	static const struct {
		int32_t pid;
		uint64_t addr, size;
		size_t n; /* 0: nothing is known */
		uint8_t first;
	} cases[] = {
		{ 9, PAGE, 1, 1, 1 },
		{ 9, PAGE, UINT64_MAX, 3 * PAGE, 1 },
		{ 9, PAGE, PAGE + 1, PAGE + 1, 1 },
		{ 9, 2 * PAGE, 10 * PAGE, 2 * PAGE, 2 },
		{ 9, 4 * PAGE - 1, 2, 1, 0 },
		{ 10, 4 * PAGE, 8, 8, 4 },
		{ 9, 4 * PAGE, 8, 0, 0 },
		{ 9, PAGE - 1, 8, 0, 0 },
		{ 9, UINT64_MAX, 8, 0, 0 },
		{ 8, PAGE, 8, 0, 0 },
		{ 11, PAGE, 8, 0, 0 },
	};
	struct memory_code code;

	(void)state;
	assert_int_equal(memory_code_init(&code, pages, 4), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint16_t machine = 0;
		size_t n = 0;
		const uint8_t *found = memory_code_find(&code, cases[i].pid, cases[i].addr,
							cases[i].size, &n, &machine);

		assert_int_equal(n, cases[i].n);
		assert_int_equal(found != NULL, n != 0);
		if (found) {
			assert_int_equal(found[0], cases[i].first);
			assert_int_equal(machine, cases[i].pid == 9 ? 3 : 62);
		}
	}
	memory_code_deinit(&code);
}

static void without_pages_nothing_is_known(void **state)
{
	struct memory_code code;
	uint16_t machine;
	size_t n;

	(void)state;
	assert_int_equal(memory_code_init(&code, NULL, 0), 0);
	assert_null(memory_code_find(&code, 0, 0, 1, &n, &machine));
	memory_code_deinit(&code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_found_up_to_the_first_unknown_page),
		cmocka_unit_test(without_pages_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
