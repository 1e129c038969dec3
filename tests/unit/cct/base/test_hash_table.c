#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/base/hash.h"
#include "cct/base/hash_table.h"

struct slot {
	uint64_t key; /* 0: free */
	int value;
};

static bool slot_is_used(const void *slot)
{
	return ((const struct slot *)slot)->key != 0;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	(void)owner;
	return ((const struct slot *)slot)->key == *(const uint64_t *)key;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return hash_number(((const struct slot *)slot)->key);
}

static uint32_t slot_hash_collides(const void *slot, const void *owner)
{
	(void)slot;
	(void)owner;
	return UINT32_MAX;
}

static const struct hash_table_type numbers = {
	.slot_size = sizeof(struct slot),
	.first_slots = 4,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

static const struct hash_table_type collisions = {
	.slot_size = sizeof(struct slot),
	.first_slots = 4,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash_collides,
};

static void fill(struct hash_table *table, const struct hash_table_type *type, uint64_t n)
{
	for (uint64_t key = 1; key <= n; key++) {
		struct slot wanted = { .key = key, .value = (int)key * 3 };
		uint32_t hash = type->hash(&wanted, NULL);

		assert_null(hash_table_find(table, type, hash, &key, NULL));
		struct slot *slot = hash_table_insert(table, type, hash, NULL);
		assert_non_null(slot);
		assert_int_equal(slot->key, 0);
		*slot = wanted;
	}
}

static void expect(const struct hash_table *table, const struct hash_table_type *type, uint64_t n)
{
	for (uint64_t key = 1; key <= n; key++) {
		struct slot wanted = { .key = key };
		const struct slot *slot =
			hash_table_find(table, type, type->hash(&wanted, NULL), &key, NULL);

		assert_non_null(slot);
		assert_int_equal(slot->value, key * 3);
	}
}

static void an_empty_table_has_no_key(void **state)
{
	(void)state;
	struct hash_table table = { 0 };
	uint64_t key = 1;

	assert_null(hash_table_find(&table, &numbers, hash_number(key), &key, NULL));
	assert_null(hash_table_next(&table, &numbers, NULL));
	hash_table_deinit(&table);
}

static void keys_are_found_after_growing(void **state)
{
	(void)state;
	struct hash_table table = { 0 };

	fill(&table, &numbers, 1000);
	expect(&table, &numbers, 1000);
	assert_int_equal(table.n_used, 1000);
	assert_int_equal(table.n_slots, 2048);
	hash_table_deinit(&table);
	assert_null(table.slots);
}

static void keys_with_one_hash_are_distinguished(void **state)
{
	(void)state;
	struct hash_table table = { 0 };

	fill(&table, &collisions, 50);
	expect(&table, &collisions, 50);
	hash_table_deinit(&table);
}

static void each_used_slot_comes_once(void **state)
{
	(void)state;
	struct hash_table table = { 0 };
	uint64_t sum = 0;

	fill(&table, &numbers, 100);
	for (struct slot *slot = NULL; (slot = hash_table_next(&table, &numbers, slot));)
		sum += slot->key;
	assert_int_equal(sum, 5050);
	hash_table_deinit(&table);
}

static void room_that_was_made_is_enough(void **state)
{
	(void)state;
	struct hash_table table = { 0 };

	assert_int_equal(hash_table_reserve(&table, &numbers, 100, NULL), 0);
	void *slots = table.slots;
	fill(&table, &numbers, 100);
	assert_ptr_equal(table.slots, slots);
	assert_int_equal(hash_table_reserve(&table, &numbers, UINT32_MAX, NULL), -ENOMEM);
	expect(&table, &numbers, 100);
	hash_table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_table_has_no_key),
		cmocka_unit_test(keys_are_found_after_growing),
		cmocka_unit_test(keys_with_one_hash_are_distinguished),
		cmocka_unit_test(each_used_slot_comes_once),
		cmocka_unit_test(room_that_was_made_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
