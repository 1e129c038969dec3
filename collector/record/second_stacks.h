/*
 * Second stacks on their way from the sample rings into the recording: each waits for the sample
 * that directly follows it in its ring, and becomes a stack record with that sample's time. Where
 * anything else follows, the sample was lost, and so is the second stack.
 */
#ifndef COLLECTOR_RECORD_SECOND_STACKS_H
#define COLLECTOR_RECORD_SECOND_STACKS_H

#include "collector/record/observing/recording_notes.h"
#include "collector/record/stacks/stack_output.h"
#include "perf/counters/evlist_types.h"
#include "perf/records/record.h"

struct second_stacks;

/* Both are borrowed. *@stacks_ret is NULL where @evlist has no second stacks. 0 or -ENOMEM. */
int second_stacks_create(const struct evlist *evlist, struct stack_output *output,
			 struct second_stacks **stacks_ret);
void second_stacks_destroy(struct second_stacks *stacks);

/* Whether the next record of a ring is a second stack, which is then kept. */
bool second_stacks_take(struct second_stacks *stacks, size_t ring,
			const struct perf_event_header *header);
/* A sample of the ring: writes its second stacks. 0 or the writer's -errno. */
int second_stacks_see_sample(struct second_stacks *stacks, size_t ring,
			     const struct record *record);
/* Another record of the ring. */
void second_stacks_see_other(struct second_stacks *stacks, size_t ring);
/* Adds a note with all details. NULL: nothing. */
void second_stacks_describe(const struct second_stacks *stacks, struct recording_notes *notes);

#endif
