/*
 * What the kernel has read at samples (perf/counters/follow_program.h), on its way from the sample
 * rings: it waits for the sample that directly follows it in its ring. Where anything else follows,
 * the sample was lost, and so is what was read for it, which is counted.
 */
#ifndef COLLECTOR_RECORD_FOLLOW_RING_MEMORY_H
#define COLLECTOR_RECORD_FOLLOW_RING_MEMORY_H

#include "collector/record/observing/recording_notes.h"
#include "perf/counters/evlist_types.h"
#include "perf/records/record.h"

struct ring_memory;

/* @evlist is borrowed. *@memory_ret is NULL where it reads nothing at samples. 0 or -ENOMEM. */
int ring_memory_create(const struct evlist *evlist, struct ring_memory **memory_ret);
void ring_memory_destroy(struct ring_memory *memory);

/* Whether the next record of a ring is such memory, which is then kept. */
bool ring_memory_take(struct ring_memory *memory, size_t ring,
		      const struct perf_event_header *header);
/* What was read at the sample, as a memory record; valid until the next call. NULL: nothing. */
const struct perf_event_header *ring_memory_of_sample(struct ring_memory *memory, size_t ring,
						      const struct record *record);
/* Another record of the ring, or a sample that nobody looks at. */
void ring_memory_see_other(struct ring_memory *memory, size_t ring);
/* Adds a note of what was lost. NULL: nothing. */
void ring_memory_describe(const struct ring_memory *memory, struct recording_notes *notes);

#endif
