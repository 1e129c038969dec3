/* Memory that may be on huge pages is memory like any other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/system/huge_pages.h"

#define HUGE_PAGE ((size_t)2 << 20)

static void memory_is_zero_and_on_whole_pages(void **state)
{
	static const size_t sizes[] = { 1, HUGE_PAGE - 1, HUGE_PAGE, 2 * HUGE_PAGE + 5 };

	(void)state;
	huge_pages_free(NULL, HUGE_PAGE);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t *memory = huge_pages_alloc(sizes[i]);

		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % HUGE_PAGE, 0);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(memory[k], 0);
		memset(memory, 7, sizes[i]);
		huge_pages_free(memory, sizes[i]);
	}
}

static void what_memory_holds_stays(void **state)
{
	const size_t size = 4 * HUGE_PAGE;
	uint8_t *memory = malloc(size);

	(void)state;
	assert_non_null(memory);
	memset(memory, 7, size);
	for (size_t start = 0; start < 3 * HUGE_PAGE; start += HUGE_PAGE / 2 + 1)
		for (size_t end = start; end <= size; end += HUGE_PAGE / 2)
			huge_pages_allow(memory + start, end - start);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(memory[i], 7);
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zero_and_on_whole_pages),
		cmocka_unit_test(what_memory_holds_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
