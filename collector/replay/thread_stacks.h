/*
 * Stack records -> what is known of each thread's stacks at a moment of the recording
 * (thread->memory). Puts runs of records together; changes what samples hold references to only by
 * replacing it.
 */
#ifndef COLLECTOR_REPLAY_THREAD_STACKS_H
#define COLLECTOR_REPLAY_THREAD_STACKS_H

#include "collector/replay/processes.h"
#include "perf/records/stack_record.h"

struct thread_stacks;

/* @processes are borrowed. NULL: out of memory. */
struct thread_stacks *thread_stacks_create(struct processes *processes);
/* After the last sample is done with its thread's memory. */
void thread_stacks_destroy(struct thread_stacks *stacks);
/*
 * Takes a record in, in time order. @machine: the recording's. 0, -ENOMEM, or -EINVAL:
 * it makes no sense, or there is more of them than memory for them; the thread's stack is then
 * unknown.
 */
int thread_stacks_apply(struct thread_stacks *stacks, const struct machine *machine,
			const struct perf_event_header *record);

#endif
