/*
 * A hash map from a pair of numbers to a 32-bit index, without removal. What frames are found by
 * (address, module), functions by (start, module) and rows by (parent, function).
 */
#ifndef CCT_BASE_PAIR_MAP_H
#define CCT_BASE_PAIR_MAP_H

#include <stdint.h>

#include "cct/base/hash_table.h"

#define PAIR_MAP_NONE UINT32_MAX

/* All zero is an empty map. */
struct pair_map {
	struct hash_table pairs;
};

void pair_map_deinit(struct pair_map *map);
/* Makes room for @n_more pairs, which are then added without moving the others. 0 or -ENOMEM. */
int pair_map_reserve(struct pair_map *map, uint32_t n_more);
/* The value of (a, b), or PAIR_MAP_NONE. */
uint32_t pair_map_find(const struct pair_map *map, uint64_t a, uint64_t b);
/* Adds a pair that is not in the map. @value: not PAIR_MAP_NONE. 0 or -ENOMEM. */
int pair_map_add(struct pair_map *map, uint64_t a, uint64_t b, uint32_t value);

#endif
