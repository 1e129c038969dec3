/*
 * The values of counters at the previous sample that read them (PERF_SAMPLE_READ). The growth since
 * then is the cost of a sample's path. An inherited counter counts separately for each thread under
 * one id (kernel 6.12, perf_event_count() of an event with inherit and PERF_SAMPLE_READ).
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
 * Stores @value of @key, whose id is not 0. *@growth_ret: the growth since the stored value, or
 * since the counter began. If the value is smaller than the stored one, the counter began again at
 * 0. 0 or -ENOMEM.
 */
int counter_values_note(struct counter_values *values, const struct counter_key *key,
			uint64_t value, uint64_t *growth_ret);

#endif
