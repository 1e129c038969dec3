/*
 * Hash tables with open addressing, linear probing and no removal. A table is an array of slots of
 * one type; a free slot is all zero. What a slot is, and which key it holds, is known to the type
 * of the table, a constant that each user defines. Each function of the type gets the @owner that
 * was passed to the table's function: what slots refer to, or NULL.
 *
 * 	static const struct hash_table_type names = { sizeof(uint32_t), ... };
 *
 * 	uint32_t *slot = hash_table_find(&list->by_name, &names, hash, name, list);
 * 	if (!slot) {
 * 		slot = hash_table_insert(&list->by_name, &names, hash, list);
 * 		if (!slot)
 * 			return -ENOMEM;
 * 		*slot = ...;
 * 	}
 *
 * Look-ups are inlined with the type's functions, so a table is as fast as one written for its
 * type. Pointers to slots are valid until the next insertion. All zero is an empty table.
 */
#ifndef CCT_BASE_HASH_TABLE_H
#define CCT_BASE_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_table {
	void *slots;
	uint32_t n_slots; /* a power of two, or 0 */
	uint32_t n_used;  /* at most half of them */
};

struct hash_table_type {
	size_t slot_size;
	uint32_t first_slots; /* of the smallest table; a power of two */
	bool (*is_used)(const void *slot);
	/* Whether a used slot has this key. */
	bool (*has_key)(const void *slot, const void *key, const void *owner);
	/* Of a used slot: what its key was looked up and inserted with. */
	uint32_t (*hash)(const void *slot, const void *owner);
};

void hash_table_deinit(struct hash_table *table);

/* Makes room for @n_more insertions, which then do not fail. 0 or -ENOMEM. */
int hash_table_reserve(struct hash_table *table, const struct hash_table_type *type,
		       uint32_t n_more, const void *owner);

static inline __attribute__((always_inline)) void *
hash_table_at(const struct hash_table *table, const struct hash_table_type *type, uint32_t i)
{
	return (char *)table->slots + i * type->slot_size;
}

/* The slot with this key, or NULL. */
static inline __attribute__((always_inline)) void *
hash_table_find(const struct hash_table *table, const struct hash_table_type *type, uint32_t hash,
		const void *key, const void *owner)
{
	uint32_t mask = table->n_slots - 1;

	if (!table->n_slots)
		return NULL;
	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		void *slot = hash_table_at(table, type, i);

		if (!type->is_used(slot))
			return NULL;
		if (type->has_key(slot, key, owner))
			return slot;
	}
}

/*
 * A free slot for a key that is not in the table; the caller fills it before any other call. NULL:
 * not enough memory; the table is as it was.
 */
static inline __attribute__((always_inline)) void *
hash_table_insert(struct hash_table *table, const struct hash_table_type *type, uint32_t hash,
		  const void *owner)
{
	if (table->n_used >= table->n_slots / 2 && hash_table_reserve(table, type, 1, owner))
		return NULL;
	uint32_t mask = table->n_slots - 1, i = hash & mask;
	while (type->is_used(hash_table_at(table, type, i)))
		i = (i + 1) & mask;
	table->n_used++;
	return hash_table_at(table, type, i);
}

/* The first used slot after @slot (NULL: the first of all), in no useful order; NULL: no more. */
static inline __attribute__((always_inline)) void *
hash_table_next(const struct hash_table *table, const struct hash_table_type *type,
		const void *slot)
{
	const char *slots = table->slots;

	if (!slots)
		return NULL;
	const char *end = slots + table->n_slots * type->slot_size;
	for (const char *at = slot ? (const char *)slot + type->slot_size : slots; at < end;
	     at += type->slot_size) {
		if (type->is_used(at))
			return (void *)at;
	}
	return NULL;
}

#endif
