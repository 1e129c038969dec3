/*
 * Applies stack records to the recorded memory of each thread's stacks (thread->memory) over the
 * time of the recording. Joins runs of records. Memory that samples hold references to is replaced,
 * never changed.
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
 * Applies a record, in time order. @machine: the recording's. 0, -ENOMEM, or -EINVAL: the record is
 * malformed, or the records exceed the memory limit; the thread's stack is then unknown.
 */
int thread_stacks_apply(struct thread_stacks *stacks, const struct machine *machine,
			const struct perf_event_header *record);
/* A sample of the thread, at that time, is about to use the memory: second stacks of other samples
 * are dropped. 0 or -ENOMEM. */
int thread_stacks_meet_sample(struct thread *thread, uint64_t time_ns);

#endif
