/*
 * What counters said when they were read last, at samples (PERF_SAMPLE_READ): how far each has
 * grown since is what a sample's path gets. A counter that is inherited counts for each thread
 * apart, under one id (kernel 6.12, perf_event_count() of an event with inherit and
 * PERF_SAMPLE_READ).
 */
#ifndef COLLECTOR_REPLAY_COUNTER_VALUES_H
#define COLLECTOR_REPLAY_COUNTER_VALUES_H

#include <stdint.h>

#include "cct/base/hash_table.h"

/* A counter of a thread; of no thread in particular: tid and generation 0. */
struct counter_key {
	uint64_t id;
	int32_t tid;
	uint32_t generation; /* of the tid, which may be reused: its counters begin at 0 again */
};

struct counter_values {
	struct hash_table slots; /* by id and tid */
};

/* All zeros are an empty one. */
void counter_values_deinit(struct counter_values *values);
/*
 * Notes @value of @key, whose id is not 0. *@growth_ret: since it was noted last, or since it
 * began. A value that went back is that of a counter that began anew. 0 or -ENOMEM.
 */
int counter_values_note(struct counter_values *values, const struct counter_key *key,
			uint64_t value, uint64_t *growth_ret);

#endif
