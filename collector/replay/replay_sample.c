#include "collector/replay/replay_sample.h"

void replay_sample_place(struct replay_sample *sample, struct thread *thread)
{
	const struct process *process = thread->process;

	sample->thread = thread;
	sample->space = address_space_ref(process->space);
	sample->memory = stack_memory_ref(thread->memory);
	sample->process_index = process->profile_index;
	sample->thread_index = thread->profile_index;
	sample->has_exec = process->has_exec;
	sample->has_memory = process->has_memory;
}

void replay_sample_deinit(struct replay_sample *sample)
{
	data_block_unref(sample->raw.block);
	address_space_unref(sample->space);
	stack_memory_unref(sample->memory);
	*sample = (struct replay_sample){ .raw.header = NULL };
}
