#include "cct/base/pair_map.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS 256u
#define MAX_SLOTS   (1u << 30)

void pair_map_deinit(struct pair_map *map)
{
	free(map->slots);
	*map = (struct pair_map){ 0 };
}

/* Multiply and fold (wyhash's mixing step): the pairs are dense small numbers and addresses. */
static uint32_t pair_hash(uint64_t a, uint64_t b)
{
	unsigned __int128 product =
		(unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
	uint64_t folded = (uint64_t)(product >> 64) ^ (uint64_t)product;

	return (uint32_t)(folded ^ (folded >> 32));
}

/* The slot that holds (a, b), or the empty one where it belongs. */
static struct pair_map_slot *find_slot(const struct pair_map *map, uint64_t a, uint64_t b)
{
	uint32_t i = pair_hash(a, b) & (map->n_slots - 1);

	for (;; i = (i + 1) & (map->n_slots - 1)) {
		struct pair_map_slot *slot = &map->slots[i];

		if (slot->value == PAIR_MAP_NONE || (slot->a == a && slot->b == b))
			return slot;
	}
}

uint32_t pair_map_find(const struct pair_map *map, uint64_t a, uint64_t b)
{
	if (!map->n_slots)
		return PAIR_MAP_NONE;
	return find_slot(map, a, b)->value;
}

static int grow(struct pair_map *map)
{
	uint32_t n_slots = map->n_slots ? map->n_slots * 2 : FIRST_SLOTS;
	struct pair_map larger = { .n_slots = n_slots, .n_used = map->n_used };

	if (n_slots > MAX_SLOTS)
		return -ENOMEM;
	larger.slots = malloc(n_slots * sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_slots; i++)
		larger.slots[i] = (struct pair_map_slot){ .value = PAIR_MAP_NONE };
	for (uint32_t i = 0; i < map->n_slots; i++) {
		const struct pair_map_slot *slot = &map->slots[i];

		if (slot->value != PAIR_MAP_NONE)
			*find_slot(&larger, slot->a, slot->b) = *slot;
	}
	free(map->slots);
	*map = larger;
	return 0;
}

int pair_map_add(struct pair_map *map, uint64_t a, uint64_t b, uint32_t value)
{
	if (map->n_used >= map->n_slots / 2) {
		int err = grow(map);

		if (err)
			return err;
	}
	*find_slot(map, a, b) = (struct pair_map_slot){ .a = a, .b = b, .value = value };
	map->n_used++;
	return 0;
}

uint64_t pair_map_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}
