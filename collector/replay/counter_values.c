#include "collector/replay/counter_values.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS 64u
#define MAX_SLOTS   (1u << 28)

void counter_values_deinit(struct counter_values *values)
{
	free(values->slots);
	*values = (struct counter_values){ 0 };
}

/* Where the counter is, or belongs. */
static struct counter_slot *find_slot(const struct counter_values *values,
				      const struct counter_key *key)
{
	uint64_t hash = (key->id ^ (uint64_t)(uint32_t)key->tid << 40) * 0x9e3779b97f4a7c15ull;
	uint32_t mask = values->n_slots - 1;
	uint32_t i = (uint32_t)(hash >> 32) & mask;

	while (values->slots[i].key.id &&
	       (values->slots[i].key.id != key->id || values->slots[i].key.tid != key->tid))
		i = (i + 1) & mask;
	return &values->slots[i];
}

static int grow(struct counter_values *values)
{
	struct counter_values larger = {
		.n_slots = values->n_slots ? values->n_slots * 2 : FIRST_SLOTS,
		.n_used = values->n_used,
	};

	if (larger.n_slots > MAX_SLOTS)
		return -ENOMEM;
	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < values->n_slots; i++) {
		if (values->slots[i].key.id)
			*find_slot(&larger, &values->slots[i].key) = values->slots[i];
	}
	free(values->slots);
	*values = larger;
	return 0;
}

int counter_values_note(struct counter_values *values, const struct counter_key *key,
			uint64_t value, uint64_t *growth_ret)
{
	if (values->n_used >= values->n_slots / 2) {
		int err = grow(values);
		if (err)
			return err;
	}
	struct counter_slot *slot = find_slot(values, key);
	uint64_t before = slot->key.generation == key->generation ? slot->value : 0;

	values->n_used += !slot->key.id;
	*growth_ret = value >= before ? value - before : value;
	*slot = (struct counter_slot){ *key, value };
	return 0;
}
