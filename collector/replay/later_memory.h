/* Gives samples what was read from their process a moment later (perf/records/memory_record.h). */
#ifndef COLLECTOR_REPLAY_LATER_MEMORY_H
#define COLLECTOR_REPLAY_LATER_MEMORY_H

#include "collector/replay/processes.h"

/*
 * Applies a memory record, in the order of time: it waits with its thread for the sample. Takes a
 * reference of its own to the block. 0, -ENOMEM, or -EINVAL: the record is malformed.
 */
int later_memory_apply(struct processes *processes, const struct raw_record *raw);
/* Gives a sample the memory that was read for it, or none; its ->record is there. */
void later_memory_meet_sample(struct thread *thread, struct sample *sample);

#endif
