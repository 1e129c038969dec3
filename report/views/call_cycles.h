/* The cycles of a call graph that occurred: functions that called themselves by way of others. */
#ifndef REPORT_VIEWS_CALL_CYCLES_H
#define REPORT_VIEWS_CALL_CYCLES_H

#include "cct/base/pair_map.h"
#include "report/fold/fold.h"

#define CALL_CYCLES_NONE UINT32_MAX
/* Activations: the calls of a longer way around are not looked through. */
#define CALL_CYCLES_LONGEST 4096

struct call_cycle {
	uint32_t first, n; /* entities [first, first + n) of all; the one with the smallest index is
			      the first */
	uint32_t on_path;  /* how often the present path has it: the user's */
};

struct call_cycles {
	struct call_cycle *cycles;
	uint32_t n_cycles, n_cycles_allocated;
	uint32_t *entities; /* of all cycles */
	uint32_t n_entities, n_entities_allocated;
	struct pair_map by_hash; /* (hash, length) -> cycle */
	uint32_t *position;      /* entity -> its place in the cycle that is being made */
	uint32_t *made;
};

/* 0 or -ENOMEM. */
int call_cycles_init(struct call_cycles *cycles, uint32_t n_entities);
void call_cycles_deinit(struct call_cycles *cycles);
/*
 * The cycle of the functions of @n activations, each called by the one before it, and the first
 * also by the last. Cycles within it, which have been found before, are cut out.
 * CALL_CYCLES_NONE: it is too long. 0 or -ENOMEM.
 */
int call_cycles_find(struct call_cycles *cycles, const uint32_t *activations, uint32_t n,
		     uint32_t *cycle_ret);

#endif
