#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/code/start_order.h"

struct thing {
	uint64_t start;
	uint32_t number;
};

/* By start, then by the order that they had. */
static int compare(const void *a, const void *b)
{
	const struct thing *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void assert_sorted_as_by_comparison(struct thing *things, size_t n)
{
	struct thing *wanted = malloc((n + 1) * sizeof(*wanted));

	assert_non_null(wanted);
	for (size_t i = 0; i < n; i++)
		things[i].number = (uint32_t)i;
	memcpy(wanted, things, n * sizeof(*things));
	qsort(wanted, n, sizeof(*wanted), compare);
	assert_int_equal(sort_by_start(things, n, sizeof(*things)), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(things[i].start, wanted[i].start);
		assert_int_equal(things[i].number, wanted[i].number);
	}
	free(wanted);
}

static void numbers_of_all_sizes_are_sorted(void **state)
{
	(void)state;
	static const uint64_t masks[] = {
		0, 0x7, 0xff0, 0xffffff, UINT64_MAX, 0xfff0000000000000, 0x800000000000
	};
	struct thing things[1000];

	for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
		for (size_t n = 0; n <= 1000; n = 2 * n + 1) {
			for (size_t i = 0; i < n; i++)
				things[i].start = (i * 31 + n) * 0x9e3779b97f4a7c15 & masks[m];
			assert_sorted_as_by_comparison(things, n);
		}
	}
}

static void what_is_sorted_stays(void **state)
{
	(void)state;
	struct thing things[100];

	for (size_t i = 0; i < 100; i++)
		things[i].start = i / 3;
	assert_sorted_as_by_comparison(things, 100);
	for (size_t i = 0; i < 100; i++)
		things[i].start = UINT64_MAX - i;
	assert_sorted_as_by_comparison(things, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_all_sizes_are_sorted),
		cmocka_unit_test(what_is_sorted_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
