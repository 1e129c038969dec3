/* Sorting by addresses, against qsort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/code/address_sort.h"

#define N_MAX 3000

static int compare(const void *a, const void *b)
{
	const struct address_value *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* The same numbers each time. */
static uint64_t next_number(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state ^ *state >> 29;
}

static void check(size_t n, uint64_t mask, uint64_t base)
{
	static struct address_value items[N_MAX], expected[N_MAX];
	uint64_t state = n;

	for (size_t i = 0; i < n; i++)
		items[i] = expected[i] = (struct address_value){
			.addr = base + (next_number(&state) & mask),
			.value = next_number(&state),
		};
	qsort(expected, n, sizeof(expected[0]), compare);
	assert_int_equal(address_sort(items, n), 0);
	assert_memory_equal(items, expected, n * sizeof(items[0]));
}

static void items_are_in_the_order_of_addresses_and_values(void **state)
{
	static const uint64_t masks[] = {
		0, 1, 0xff, 0xff00, 0xffffff, 0xff00ff00ff00, UINT64_MAX
	};
	static const size_t sizes[] = { 1, 2, 3, 100, N_MAX };

	(void)state;
	for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			check(sizes[s], masks[m], 0);
			check(sizes[s], masks[m], 0xffffffff81000000);
		}
	}
}

static void no_items_are_sorted(void **state)
{
	(void)state;
	assert_int_equal(address_sort(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_are_in_the_order_of_addresses_and_values),
		cmocka_unit_test(no_items_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
