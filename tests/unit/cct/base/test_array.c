#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/base/array.h"

static void elements_stay_while_an_array_grows(void **state)
{
	(void)state;
	int *array = NULL;
	size_t n = 0, n_allocated = 0;

	for (int i = 0; i < 1000; i++) {
		assert_int_equal(array_reserve(array, n, n_allocated, 1), 0);
		assert_true(n < n_allocated);
		array[n++] = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(array[i], i);
	assert_int_equal(n_allocated, 1024);
	free(array);
}

static void room_for_many_is_made_at_once(void **state)
{
	(void)state;
	char *array = NULL;
	uint32_t n_allocated = 0;

	assert_int_equal(array_reserve(array, 0, n_allocated, 1000), 0);
	assert_int_equal(n_allocated, 1000);
	char *before = array;
	assert_int_equal(array_reserve(array, 400, n_allocated, 600), 0);
	assert_ptr_equal(array, before);
	free(array);
}

static void an_array_ends_where_its_count_does(void **state)
{
	(void)state;
	char *array = NULL;
	uint8_t n_allocated = 0;

	for (unsigned n = 0; n < UINT8_MAX; n++)
		assert_int_equal(array_reserve(array, n, n_allocated, 1), 0);
	assert_int_equal(n_allocated, UINT8_MAX);
	char *before = array;
	assert_int_equal(array_reserve(array, UINT8_MAX, n_allocated, 1), -ENOMEM);
	assert_int_equal(n_allocated, UINT8_MAX);
	assert_ptr_equal(array, before);
	free(array);
}

static void sizes_that_overflow_are_refused(void **state)
{
	(void)state;
	uint64_t *array = NULL;
	size_t n_allocated = 0;

	assert_int_equal(array_reserve(array, 0, n_allocated, SIZE_MAX), -ENOMEM);
	assert_int_equal(array_reserve(array, 0, n_allocated, SIZE_MAX / 4), -ENOMEM);
	assert_null(array);
	assert_int_equal(n_allocated, 0);
}

static void an_array_can_grow_by_one_without_a_count_of_those_allocated(void **state)
{
	(void)state;
	uint32_t *array = NULL;
	uint32_t n = 0;

	while (n < 1000) {
		assert_int_equal(array_reserve_one(array, n), 0);
		array[n] = n;
		n++;
	}
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(array[i], i);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_stay_while_an_array_grows),
		cmocka_unit_test(room_for_many_is_made_at_once),
		cmocka_unit_test(an_array_ends_where_its_count_does),
		cmocka_unit_test(sizes_that_overflow_are_refused),
		cmocka_unit_test(an_array_can_grow_by_one_without_a_count_of_those_allocated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
