#include "collector/replay/counter_values.h"

#include <errno.h>

#include "cct/base/hash.h"

struct counter_slot {
	struct counter_key key; /* an id of 0: the slot is free */
	uint64_t value;
};

static uint32_t hash_key(const struct counter_key *key)
{
	return hash_pair(key->id, (uint32_t)key->tid);
}

static bool slot_is_used(const void *slot)
{
	return ((const struct counter_slot *)slot)->key.id != 0;
}

static bool slot_has_key(const void *slot, const void *wanted, const void *owner)
{
	const struct counter_key *key = &((const struct counter_slot *)slot)->key;
	const struct counter_key *wanted_key = wanted;

	(void)owner;
	return key->id == wanted_key->id && key->tid == wanted_key->tid;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return hash_key(&((const struct counter_slot *)slot)->key);
}

static const struct hash_table_type counters = {
	.slot_size = sizeof(struct counter_slot),
	.first_slots = 64,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

void counter_values_deinit(struct counter_values *values)
{
	hash_table_deinit(&values->slots);
}

int counter_values_note(struct counter_values *values, const struct counter_key *key,
			uint64_t value, uint64_t *growth_ret)
{
	uint32_t hash = hash_key(key);
	struct counter_slot *slot = hash_table_find(&values->slots, &counters, hash, key, NULL);
	if (!slot)
		slot = hash_table_insert(&values->slots, &counters, hash, NULL);
	if (!slot)
		return -ENOMEM;
	uint64_t before = slot->key.generation == key->generation ? slot->value : 0;

	*growth_ret = value >= before ? value - before : value;
	*slot = (struct counter_slot){ *key, value };
	return 0;
}
