#include "collector/replay/later_memory.h"

#include <errno.h>

#include "perf/records/memory_record.h"

static void set(struct thread *thread, struct raw_record raw)
{
	data_block_unref(thread->later.block);
	thread->later = raw;
}

int later_memory_apply(struct processes *processes, const struct raw_record *raw)
{
	struct memory_record memory;

	if (!memory_record_decode(raw->header, &memory))
		return -EINVAL;
	struct thread *thread = processes_thread(processes, memory.header.pid, memory.header.tid);
	if (!thread)
		return -ENOMEM;
	data_block_ref(raw->block);
	set(thread, *raw);
	return 0;
}

void later_memory_meet_sample(struct thread *thread, struct sample *sample)
{
	const struct record *record = &sample->record;
	struct memory_record memory;

	sample->later = (struct raw_record){ .header = NULL };
	if (!thread->later.header || !record->has_time ||
	    !memory_record_decode(thread->later.header, &memory))
		return;
	/* The kernel may have delivered the record alone. */
	if (memory.header.time_ns > record->time_ns)
		return;
	if (memory.header.time_ns == record->time_ns)
		sample->later = thread->later;
	else
		data_block_unref(thread->later.block);
	thread->later = (struct raw_record){ .header = NULL };
}
