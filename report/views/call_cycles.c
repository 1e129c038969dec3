#include "report/views/call_cycles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"

#define NOWHERE UINT32_MAX

int call_cycles_init(struct call_cycles *cycles, uint32_t n_entities)
{
	*cycles = (struct call_cycles){
		.position = malloc((n_entities + 1ul) * sizeof(uint32_t)),
		.made = malloc(CALL_CYCLES_LONGEST * sizeof(uint32_t)),
	};
	if (!cycles->position || !cycles->made) {
		call_cycles_deinit(cycles);
		return -ENOMEM;
	}
	memset(cycles->position, 0xff, n_entities * sizeof(uint32_t));
	return 0;
}

void call_cycles_deinit(struct call_cycles *cycles)
{
	free(cycles->cycles);
	free(cycles->entities);
	free(cycles->position);
	free(cycles->made);
	pair_map_deinit(&cycles->by_hash);
}

/* Makes a cycle without a function twice, in cycles->made. Returns its length. */
static uint32_t cut_inner_cycles(struct call_cycles *cycles, const uint32_t *activations,
				 uint32_t n)
{
	uint32_t n_made = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t *position = &cycles->position[activations[i]];

		if (*position == NOWHERE) {
			*position = n_made;
			cycles->made[n_made++] = activations[i];
		}
		while (n_made > *position + 1)
			cycles->position[cycles->made[--n_made]] = NOWHERE;
	}
	for (uint32_t i = 0; i < n_made; i++)
		cycles->position[cycles->made[i]] = NOWHERE;
	return n_made;
}

/* The function at place @i of the cycle that was made, from the one with the smallest index on. */
static uint32_t made_at(const struct call_cycles *cycles, uint32_t smallest, uint32_t n, uint32_t i)
{
	return cycles->made[(smallest + i) % n];
}

static bool is_made(const struct call_cycles *cycles, uint32_t cycle, uint32_t smallest, uint32_t n)
{
	const struct call_cycle *known = &cycles->cycles[cycle];

	for (uint32_t i = 0; i < n; i++) {
		if (cycles->entities[known->first + i] != made_at(cycles, smallest, n, i))
			return false;
	}
	return true;
}

static int add_made(struct call_cycles *cycles, uint32_t smallest, uint32_t n)
{
	if (array_reserve(cycles->cycles, cycles->n_cycles, cycles->n_cycles_allocated, 1) ||
	    array_reserve(cycles->entities, cycles->n_entities, cycles->n_entities_allocated, n))
		return -ENOMEM;
	cycles->cycles[cycles->n_cycles++] =
		(struct call_cycle){ .first = cycles->n_entities, .n = n };
	for (uint32_t i = 0; i < n; i++)
		cycles->entities[cycles->n_entities++] = made_at(cycles, smallest, n, i);
	return 0;
}

static uint32_t find_smallest(const struct call_cycles *cycles, uint32_t n)
{
	uint32_t smallest = 0;

	for (uint32_t i = 1; i < n; i++)
		smallest = cycles->made[i] < cycles->made[smallest] ? i : smallest;
	return smallest;
}

int call_cycles_find(struct call_cycles *cycles, const uint32_t *activations, uint32_t n,
		     uint32_t *cycle_ret)
{
	if (n > CALL_CYCLES_LONGEST) {
		*cycle_ret = CALL_CYCLES_NONE;
		return 0;
	}
	uint32_t length = cut_inner_cycles(cycles, activations, n);
	uint32_t smallest = find_smallest(cycles, length);
	uint64_t hash = HASH_START;
	for (uint32_t i = 0; i < length; i++)
		hash = hash_bytes(hash, &(uint32_t){ made_at(cycles, smallest, length, i) },
				  sizeof(uint32_t));
	/* Another cycle with this hash has the next one. */
	for (;; hash++) {
		*cycle_ret = pair_map_find(&cycles->by_hash, hash, length);
		if (*cycle_ret == PAIR_MAP_NONE)
			break;
		if (is_made(cycles, *cycle_ret, smallest, length))
			return 0;
	}
	*cycle_ret = cycles->n_cycles;
	if (add_made(cycles, smallest, length))
		return -ENOMEM;
	return pair_map_add(&cycles->by_hash, hash, length, *cycle_ret);
}
