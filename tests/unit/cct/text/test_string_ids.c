#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cct/text/string_ids.h"

#define N_MANY 1000

static uint32_t add(struct string_ids *ids, const char *text, bool expected_new)
{
	uint32_t id;
	bool is_new;

	assert_int_equal(string_ids_add(ids, text, &id, &is_new), 0);
	assert_int_equal(is_new, expected_new);
	return id;
}

static void equal_strings_have_one_number(void **state)
{
	struct string_ids ids = { 0 };
	char copy[] = "one";

	(void)state;
	assert_int_equal(add(&ids, "", true), 0);
	assert_int_equal(add(&ids, copy, true), 1);
	copy[0] = 'O';
	assert_int_equal(add(&ids, "one", false), 1);
	assert_int_equal(add(&ids, "One", true), 2);
	assert_int_equal(add(&ids, "", false), 0);
	string_ids_deinit(&ids);
}

static void numbers_stay_when_the_table_grows(void **state)
{
	struct string_ids ids = { 0 };
	char text[16];

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < N_MANY; i++) {
			snprintf(text, sizeof(text), "%u", i);
			assert_int_equal(add(&ids, text, !round), i);
		}
	}
	string_ids_deinit(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_strings_have_one_number),
		cmocka_unit_test(numbers_stay_when_the_table_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
