#include "collector/replay/process_images.h"

#include "cct/base/clock.h"

/* The records show what a thread does after a sample within this many records, or never. */
#define EXEC_DISTANCE_MAX 4096

/* The recorded command is counted from the middle of its exec on. No mapping is known before, so
 * what its old stack pointer leads to is of the new stack. */
static bool is_in_kernel_without_stack(const struct record *record, const struct process *process)
{
	return record->cpu_mode == PERF_RECORD_MISC_KERNEL && record->sample.has_user_regs &&
	       (!record->sample.user_stack_size || !process->has_memory);
}

/* Does the record of an exec precede all that the thread does with a stack? */
static bool is_exec_next(const struct ordered_records *records, const struct record *record,
			 const struct process *process)
{
	const struct raw_record *next;

	for (size_t i = 0; i < EXEC_DISTANCE_MAX && (next = order_peek(records->order, i)); i++) {
		struct record later;
		size_t event;

		if (next->header->type != PERF_RECORD_SAMPLE &&
		    next->header->type != PERF_RECORD_COMM)
			continue;
		if (data_file_decode(records->file, next->header, &later, &event) != RECORD_OK)
			continue;
		if (later.type == PERF_RECORD_COMM && later.comm.pid == record->pid)
			return later.comm.is_exec;
		if (later.type == PERF_RECORD_SAMPLE && later.tid == record->tid &&
		    !is_in_kernel_without_stack(&later, process))
			return false;
	}
	return false;
}

bool process_image_is_in_exec(const struct ordered_records *records, const struct record *record,
			      struct thread *thread)
{
	if (!record->sample.has_user_regs)
		return false;
	if (!is_in_kernel_without_stack(record, thread->process)) {
		thread->is_in_exec = false;
		return false;
	}
	return thread->is_in_exec || is_exec_next(records, record, thread->process);
}

void process_images_date(const struct profile *profile, uint64_t newest_ns, int64_t end)
{
	uint64_t first_ns = profile->info.start_ns;

	for (uint32_t id = 1; end && id < profile->modules.n_modules; id++) {
		struct module *module = module_table_get(&profile->modules, id);
		/* What has no time was there when the first sample was taken. */
		uint64_t mapped_ns =
			module->located.mapped_ns ? module->located.mapped_ns : first_ns;

		if (mapped_ns && mapped_ns < newest_ns)
			module->located.mapped =
				end - (int64_t)((newest_ns - mapped_ns) / NSEC_PER_SEC);
	}
}
