/*
 * A hash map from a pair of numbers to a 32-bit index, without removal. What frames are found by
 * (address, module), functions by (start, module) and rows by (parent, function).
 */
#ifndef CCT_BASE_PAIR_MAP_H
#define CCT_BASE_PAIR_MAP_H

#include <stdint.h>

#define PAIR_MAP_NONE UINT32_MAX

struct pair_map_slot {
	uint64_t a, b;
	uint32_t value; /* PAIR_MAP_NONE: the slot is empty */
};

struct pair_map {
	struct pair_map_slot *slots;
	uint32_t n_slots; /* a power of two, or 0 */
	uint32_t n_used;
};

/* An all-zero map is an empty one. */
void pair_map_deinit(struct pair_map *map);
/* The value of (a, b), or PAIR_MAP_NONE. */
uint32_t pair_map_find(const struct pair_map *map, uint64_t a, uint64_t b);
/* A text as one of a pair: a hash (FNV-1a). */
uint64_t pair_map_text(const char *text);
/* Adds a pair that is not in the map. 0 or -ENOMEM. */
int pair_map_add(struct pair_map *map, uint64_t a, uint64_t b, uint32_t value);

#endif
