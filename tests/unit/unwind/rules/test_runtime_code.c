#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unwind/rules/runtime_code.h"

static struct runtime_codes *codes;

static int setup(void **state)
{
	(void)state;
	codes = runtime_codes_create(3);
	return codes ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	runtime_codes_unref(codes);
	return 0;
}

static void add(uint64_t start, uint64_t end, uint64_t offset)
{
	const struct runtime_code code = { .start = start, .end = end, .offset = offset };

	assert_int_equal(runtime_codes_add(&codes, &code), 0);
}

/* 0: nothing is there. */
static uint64_t at(const struct runtime_codes *of, uint64_t addr)
{
	const struct runtime_code *code = runtime_codes_find(of, addr);

	return code ? code->offset : 0;
}

static void code_is_found_by_each_of_its_addresses(void **state)
{
	(void)state;
	add(0x3000, 0x3100, 3);
	add(0x1000, 0x1100, 1);
	add(0x2000, 0x2100, 2);
	assert_int_equal(at(codes, 0xfff), 0);
	assert_int_equal(at(codes, 0x1000), 1);
	assert_int_equal(at(codes, 0x10ff), 1);
	assert_int_equal(at(codes, 0x1100), 0);
	assert_int_equal(at(codes, 0x2080), 2);
	assert_int_equal(at(codes, 0x30ff), 3);
	assert_int_equal(at(codes, UINT64_MAX), 0);
	assert_int_equal(at(NULL, 0x1000), 0);
}

static void new_code_replaces_all_that_it_overlaps(void **state)
{
	(void)state;
	add(0x1000, 0x1100, 1);
	add(0x1100, 0x1200, 2);
	add(0x1200, 0x1300, 3);
	add(0x1080, 0x1180, 4);
	assert_int_equal(codes->n, 2);
	assert_int_equal(at(codes, 0x1000), 0);
	assert_int_equal(at(codes, 0x1080), 4);
	assert_int_equal(at(codes, 0x1180), 0);
	assert_int_equal(at(codes, 0x1200), 3);
}

static void who_holds_a_reference_keeps_what_was_known(void **state)
{
	(void)state;
	add(0x1000, 0x1100, 1);
	struct runtime_codes *before = runtime_codes_ref(codes);
	add(0x1000, 0x1100, 2);
	add(0x2000, 0x2100, 3);
	assert_ptr_not_equal(before, codes);
	assert_int_equal(codes->module, 3);
	assert_int_equal(at(before, 0x1000), 1);
	assert_int_equal(at(before, 0x2000), 0);
	assert_int_equal(at(codes, 0x1000), 2);
	runtime_codes_unref(before);
}

static void no_more_is_taken_than_there_is_room_for(void **state)
{
	const struct runtime_code empty = { .start = 5, .end = 5 };
	const struct runtime_code more = { .start = UINT64_MAX - 1, .end = UINT64_MAX };

	(void)state;
	assert_int_equal(runtime_codes_add(&codes, &empty), -EINVAL);
	for (uint64_t i = 0; i < RUNTIME_CODES_MAX; i++)
		add(i * 16, i * 16 + 8, i + 1);
	assert_int_equal(runtime_codes_add(&codes, &more), -EINVAL);
	add(16, 24, 99);
	assert_int_equal(at(codes, 20), 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(code_is_found_by_each_of_its_addresses, setup,
						teardown),
		cmocka_unit_test_setup_teardown(new_code_replaces_all_that_it_overlaps, setup,
						teardown),
		cmocka_unit_test_setup_teardown(who_holds_a_reference_keeps_what_was_known, setup,
						teardown),
		cmocka_unit_test_setup_teardown(no_more_is_taken_than_there_is_room_for, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
