#include "cct/base/pair_map.h"

#include <errno.h>

#include "cct/base/hash.h"

struct pair {
	uint64_t a, b;
	uint32_t value_plus_1; /* 0: the slot is free */
};

static bool slot_is_used(const void *slot)
{
	return ((const struct pair *)slot)->value_plus_1 != 0;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct pair *pair = slot, *wanted = key;

	(void)owner;
	return pair->a == wanted->a && pair->b == wanted->b;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	const struct pair *pair = slot;

	(void)owner;
	return hash_pair(pair->a, pair->b);
}

static const struct hash_table_type pairs = {
	.slot_size = sizeof(struct pair),
	.first_slots = 256,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

void pair_map_deinit(struct pair_map *map)
{
	hash_table_deinit(&map->pairs);
}

int pair_map_reserve(struct pair_map *map, uint32_t n_more)
{
	return hash_table_reserve(&map->pairs, &pairs, n_more, NULL);
}

uint32_t pair_map_find(const struct pair_map *map, uint64_t a, uint64_t b)
{
	const struct pair wanted = { .a = a, .b = b };
	const struct pair *pair =
		hash_table_find(&map->pairs, &pairs, hash_pair(a, b), &wanted, NULL);

	return pair ? pair->value_plus_1 - 1 : PAIR_MAP_NONE;
}

int pair_map_add(struct pair_map *map, uint64_t a, uint64_t b, uint32_t value)
{
	struct pair *pair = hash_table_insert(&map->pairs, &pairs, hash_pair(a, b), NULL);

	if (!pair)
		return -ENOMEM;
	*pair = (struct pair){ .a = a, .b = b, .value_plus_1 = value + 1 };
	return 0;
}
