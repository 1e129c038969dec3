#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/base/hash.h"

/* draft-eastlake-fnv, appendix C: test values. */
static void hashes_of_bytes_are_fnv_1a(void **state)
{
	(void)state;
	assert_true(hash_text(HASH_START, "") == 0xcbf29ce484222325ull);
	assert_true(hash_text(HASH_START, "a") == 0xaf63dc4c8601ec8cull);
	assert_true(hash_text(HASH_START, "foobar") == 0x85944171f73967e8ull);
	assert_true(hash_bytes(HASH_START, "foobar", 6) == 0x85944171f73967e8ull);
}

static void a_hash_can_be_made_in_parts(void **state)
{
	(void)state;
	assert_true(hash_text(hash_bytes(HASH_START, "foo", 3), "bar") ==
		    hash_text(HASH_START, "foobar"));
}

static void numbers_become_as_many_bits_as_wanted(void **state)
{
	(void)state;
	for (unsigned n_bits = 1; n_bits < 64; n_bits++) {
		for (uint64_t number = 0; number < 100; number++)
			assert_true(hash_to_bits(number, n_bits) < 1ull << n_bits);
	}
	assert_true(hash_to_bits(1, 64) == 0x9e3779b97f4a7c15ull);
	assert_true(hash_number(1) == 0x9e3779b9u);
}

static void pairs_of_small_numbers_differ_in_either(void **state)
{
	(void)state;
	assert_true(hash_pair(1, 2) != hash_pair(2, 1));
	assert_true(hash_pair(0, 1) != hash_pair(0, 2));
	assert_true(hash_pair(1, 0) != hash_pair(2, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes_of_bytes_are_fnv_1a),
		cmocka_unit_test(a_hash_can_be_made_in_parts),
		cmocka_unit_test(numbers_become_as_many_bits_as_wanted),
		cmocka_unit_test(pairs_of_small_numbers_differ_in_either),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
