#include "cct/base/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SLOTS (1u << 30)

void hash_table_deinit(struct hash_table *table)
{
	free(table->slots);
	*table = (struct hash_table){ 0 };
}

static void copy_slots(struct hash_table *to, const struct hash_table *from,
		       const struct hash_table_type *type, const void *owner)
{
	uint32_t mask = to->n_slots - 1;

	for (void *slot = NULL; (slot = hash_table_next(from, type, slot));) {
		uint32_t i = type->hash(slot, owner) & mask;

		while (type->is_used(hash_table_at(to, type, i)))
			i = (i + 1) & mask;
		memcpy(hash_table_at(to, type, i), slot, type->slot_size);
	}
	to->n_used = from->n_used;
}

int hash_table_reserve(struct hash_table *table, const struct hash_table_type *type,
		       uint32_t n_more, const void *owner)
{
	struct hash_table larger = { .n_slots =
					     table->n_slots ? table->n_slots : type->first_slots };

	if (n_more > MAX_SLOTS / 2 - table->n_used)
		return -ENOMEM;
	while (larger.n_slots / 2 < table->n_used + n_more)
		larger.n_slots *= 2;
	if (larger.n_slots == table->n_slots)
		return 0;
	larger.slots = calloc(larger.n_slots, type->slot_size);
	if (!larger.slots)
		return -ENOMEM;
	copy_slots(&larger, table, type, owner);
	free(table->slots);
	*table = larger;
	return 0;
}
