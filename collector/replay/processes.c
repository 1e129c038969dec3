/* Sideband records -> processes with address spaces. */
#include "collector/replay/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/hash.h"
#include "cct/base/hash_table.h"
#include "collector/paths/runtime_layer.h"

/* tools/perf/util/event.h: a synthesized FORK whose child's mappings follow. */
#define RECORD_MISC_FORK_EXEC (1 << 13)

/* A process by its pid, or a thread by its tid. */
struct id_slot {
	int32_t id;
	void *value; /* NULL: the slot is free */
};

/* Samples of a process may follow its EXIT record, which the kernel writes while exit still runs.
 * So the memory of this many is remembered; of more it would fill ours in a fork storm. */
#define EXITED_KEPT 256

struct processes {
	struct profile *profile;
	struct module_finder *finder;
	struct hash_table by_pid, by_tid;
	struct process *exited[EXITED_KEPT]; /* in a circle; NULL: none yet */
	size_t next_exited;
};

static bool slot_is_used(const void *slot)
{
	return ((const struct id_slot *)slot)->value != NULL;
}

static bool slot_has_key(const void *slot, const void *id, const void *owner)
{
	(void)owner;
	return ((const struct id_slot *)slot)->id == *(const int32_t *)id;
}

static uint32_t hash_id(int32_t id)
{
	return hash_number((uint32_t)id);
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return hash_id(((const struct id_slot *)slot)->id);
}

static const struct hash_table_type ids = {
	.slot_size = sizeof(struct id_slot),
	.first_slots = 256,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

static void *find_id(const struct hash_table *table, int32_t id)
{
	const struct id_slot *slot = hash_table_find(table, &ids, hash_id(id), &id, NULL);

	return slot ? slot->value : NULL;
}

static int add_id(struct hash_table *table, int32_t id, void *value)
{
	struct id_slot *slot = hash_table_insert(table, &ids, hash_id(id), NULL);

	if (!slot)
		return -ENOMEM;
	*slot = (struct id_slot){ .id = id, .value = value };
	return 0;
}

struct processes *processes_create(struct profile *profile, struct module_finder *finder)
{
	struct processes *processes = calloc(1, sizeof(*processes));

	if (!processes)
		return NULL;
	processes->profile = profile;
	processes->finder = finder;
	return processes;
}

static void destroy_thread(struct thread *thread)
{
	stack_memory_unref(thread->memory);
	data_block_unref(thread->later.block);
	free(thread);
}

static void destroy_process(struct process *process)
{
	jit_layer_destroy(process->jit);
	runtime_codes_unref(process->runtime);
	address_space_unref(process->space);
	process_epochs_deinit(&process->epochs);
	free(process);
}

void processes_destroy(struct processes *processes)
{
	if (!processes)
		return;
	for (struct id_slot *slot = NULL; (slot = hash_table_next(&processes->by_tid, &ids, slot));)
		destroy_thread(slot->value);
	for (struct id_slot *slot = NULL; (slot = hash_table_next(&processes->by_pid, &ids, slot));)
		destroy_process(slot->value);
	hash_table_deinit(&processes->by_tid);
	hash_table_deinit(&processes->by_pid);
	free(processes);
}

/* A name that is known, or the number, as perf shows it. */
static void set_name(char *to, bool *is_named, int32_t id, const char *name)
{
	*is_named = name;
	if (name)
		snprintf(to, COMM_MAX, "%s", name);
	else
		snprintf(to, COMM_MAX, ":%d", id);
}

static void name_process(struct process *process, const char *name)
{
	set_name(process->name, &process->is_named, process->pid, name);
}

static void name_thread(struct thread *thread, const char *name)
{
	set_name(thread->name, &thread->is_named, thread->tid, name);
}

/* Starts a process: with a pid not seen before, a reused pid, or another image after exec. */
static int process_reset(struct process *process, struct address_space *space)
{
	if (!space)
		space = address_space_create();
	if (!space)
		return -ENOMEM;
	address_space_unref(process->space);
	process->space = space;
	jit_layer_destroy(process->jit);
	process->jit = NULL;
	runtime_codes_unref(process->runtime);
	process->runtime = NULL;
	process->profile_index = UINT32_MAX;
	process_epochs_deinit(&process->epochs);
	return 0;
}

static struct process *process_get(struct processes *processes, int32_t pid)
{
	struct process *process = find_id(&processes->by_pid, pid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	name_process(process, pid == PID_OUTSIDE ? "[other pid ns]" : pid ? NULL : "swapper");
	if (process_reset(process, NULL) || add_id(&processes->by_pid, pid, process)) {
		address_space_unref(process->space);
		free(process);
		return NULL;
	}
	return process;
}

static void forget_stacks(struct thread *thread)
{
	stack_memory_unref(thread->memory);
	thread->memory = NULL;
}

/* The kernel gives every idle task tid 0 and every dead one tid -1: their processes decide. */
static struct thread *thread_get(struct processes *processes, int32_t pid, int32_t tid)
{
	struct thread *thread = find_id(&processes->by_tid, tid);

	if (thread && thread->process->pid == pid)
		return thread;
	struct process *process = process_get(processes, pid);
	if (!process)
		return NULL;
	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			return NULL;
		thread->tid = tid;
		if (add_id(&processes->by_tid, tid, thread)) {
			free(thread);
			return NULL;
		}
	} else if (thread->is_live && thread->process->n_live_threads) {
		thread->process->n_live_threads--;
	}
	forget_stacks(thread);
	thread->process = process;
	thread->profile_index = UINT32_MAX;
	thread->is_live = true;
	process->n_live_threads++;
	name_thread(thread, process->is_named ? process->name : NULL);
	return thread;
}

static int rename_entered(struct processes *processes, const struct thread *thread)
{
	struct profile *profile = processes->profile;
	const struct process *process = thread->process;
	int err = 0;

	if (thread->profile_index != UINT32_MAX)
		err = profile_set_string(&profile->threads[thread->profile_index].name,
					 thread->name);
	if (!err && process->profile_index != UINT32_MAX)
		err = profile_set_string(&profile->processes[process->profile_index].name,
					 process->name);
	return err;
}

static int apply_comm(struct processes *processes, const struct record *record)
{
	struct thread *thread = thread_get(processes, record->comm.pid, record->comm.tid);

	if (!thread)
		return -ENOMEM;
	struct process *process = thread->process;
	process->is_announced = true;
	if (record->comm.is_exec) {
		int err = process_reset(process, NULL);
		if (err)
			return err;
		process->has_exec = process->is_exec = true;
		thread->is_in_exec = true;
		thread->profile_index = UINT32_MAX;
		forget_stacks(thread);
	}
	name_thread(thread, record->comm.name);
	if (thread->tid == process->pid || record->comm.is_exec)
		name_process(process, record->comm.name);
	return rename_entered(processes, thread);
}

/* The child process of a fork: the parent's mappings, or (synthesized) none yet. */
static int fork_process(struct processes *processes, const struct record *record,
			const struct process *parent)
{
	struct process *process = process_get(processes, record->task.pid);
	bool shares = !(record->misc & RECORD_MISC_FORK_EXEC);

	if (!process || process_reset(process, shares ? address_space_ref(parent->space) : NULL))
		return -ENOMEM;
	if (shares && parent->jit && !(process->jit = jit_layer_fork(parent->jit)))
		return -ENOMEM;
	process->runtime = shares ? runtime_codes_ref(parent->runtime) : NULL;
	process->has_exec = shares && parent->has_exec;
	process->is_exec = false;
	process->has_memory = shares && parent->has_memory;
	process->is_announced = true;
	process->n_live_threads = 0;
	name_process(process, parent->is_named ? parent->name : NULL);
	return 0;
}

static int apply_fork(struct processes *processes, const struct record *record)
{
	struct thread *parent =
		record->task.ppid ? thread_get(processes, record->task.ppid, record->task.ptid)
				  : thread_get(processes, PID_OUTSIDE, PID_OUTSIDE);
	bool is_process = record->task.pid != record->task.ppid;

	if (!parent || (is_process && fork_process(processes, record, parent->process)))
		return -ENOMEM;
	struct thread *thread = thread_get(processes, record->task.pid, record->task.tid);
	if (!thread)
		return -ENOMEM;
	if (is_process)
		thread->process->n_live_threads = 1;
	else if (!thread->is_live)
		thread->process->n_live_threads++;
	thread->is_live = true;
	/* A reused tid is a new thread. */
	thread->generation++;
	thread->profile_index = UINT32_MAX;
	forget_stacks(thread);
	thread->is_in_exec = false;
	if (thread != parent)
		name_thread(thread, parent->is_named ? parent->name : NULL);
	return 0;
}

/* Remembers an exited process, and lets go the memory of the one that exited longest ago, unless
 * its pid was reused meanwhile. */
static int retire(struct processes *processes, struct process *process)
{
	struct process **slot = &processes->exited[processes->next_exited++ % EXITED_KEPT];
	struct process *oldest = *slot;

	*slot = process;
	if (!oldest || oldest == process || oldest->n_live_threads || !oldest->space->n_mappings)
		return 0;
	struct address_space *empty = address_space_create();
	if (!empty)
		return -ENOMEM;
	address_space_unref(oldest->space);
	oldest->space = empty;
	jit_layer_destroy(oldest->jit);
	oldest->jit = NULL;
	runtime_codes_unref(oldest->runtime);
	oldest->runtime = NULL;
	return 0;
}

static int apply_exit(struct processes *processes, const struct record *record)
{
	struct thread *thread = find_id(&processes->by_tid, record->task.tid);

	if (!thread || thread->process->pid != record->task.pid || !thread->is_live)
		return 0;
	struct process *process = thread->process;
	thread->is_live = false;
	forget_stacks(thread);
	if (process->n_live_threads)
		process->n_live_threads--;
	return process->n_live_threads ? 0 : retire(processes, process);
}

/* A jitdump is mapped: its code is there from now on. One that has none of it tells nothing. */
static int begin_jit(struct processes *processes, struct process *process,
		     const struct record *record, uint32_t module)
{
	const struct jit_codes *codes;
	int err = module_finder_jit_codes(processes->finder, record, module, &codes);

	if (err || !codes)
		return err;
	jit_layer_destroy(process->jit);
	process->jit = NULL;
	return jit_layer_create(codes, &processes->profile->modules, &process->space,
				&process->jit);
}

/* What a new mapping does to code made at run time. */
static int follow_mapping(struct processes *processes, struct process *process,
			  const struct record *record, const struct mapping *mapping)
{
	const struct module *module =
		module_table_get(&processes->profile->modules, mapping->module);

	if (module && module->key.kind == MODULE_JIT)
		return begin_jit(processes, process, record, mapping->module);
	if (!process->jit)
		return 0;
	return jit_layer_follow(process->jit, mapping->start, mapping->end,
				module_finder_is_file(record), &process->space);
}

static int apply_mmap(struct processes *processes, const struct record *record)
{
	struct process *process = process_get(processes, record->mmap.pid);
	uint64_t start = record->mmap.addr, end = start + record->mmap.len;

	if (!process)
		return -ENOMEM;
	if (end <= start)
		return 0;
	process->is_announced = true;
	process->has_memory = true;
	struct mapping mapping = {
		.start = start,
		.end = end,
		.offset = record->mmap.pgoff,
		.is_exec = !record->mmap.is_data,
	};
	if (mapping.is_exec) {
		mapping.module = module_finder_find(processes->finder, record);
		if (!mapping.module)
			return -ENOMEM;
		struct module *module =
			module_table_get(&processes->profile->modules, mapping.module);
		if (!module->located.mapped_ns)
			module->located.mapped_ns = record->time_ns;
		if (module->key.kind == MODULE_ANON)
			mapping.offset = start;
		else if (module->key.kind == MODULE_VDSO)
			mapping.offset = 0;
		if (process_epochs_map(&process->epochs, processes->profile, process->space,
				       mapping.module, record->time_ns))
			return -ENOMEM;
	}
	int err = address_space_map(&process->space, &mapping);
	if (!err)
		err = follow_mapping(processes, process, record, &mapping);
	if (!err && process->profile_index != UINT32_MAX)
		processes->profile->processes[process->profile_index].n_mapped++;
	return err;
}

/* Of all processes without a number where the recorder runs; the idle tasks have no records. */
static bool is_about_outside(const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_COMM:
		return record->comm.pid == 0;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return record->task.pid == 0;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return record->mmap.pid == 0;
	default:
		return false;
	}
}

int processes_apply(struct processes *processes, const struct record *record)
{
	if (is_about_outside(record))
		return 0;
	switch (record->type) {
	case PERF_RECORD_COMM:
		return apply_comm(processes, record);
	case PERF_RECORD_FORK:
		return apply_fork(processes, record);
	case PERF_RECORD_EXIT:
		return apply_exit(processes, record);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return apply_mmap(processes, record);
	default:
		return 0;
	}
}

int processes_describe(struct processes *processes, const struct perf_event_header *record)
{
	struct runtime_record decoded;

	if (!runtime_record_decode(record, &decoded))
		return -EINVAL;
	struct process *process = process_get(processes, decoded.header.pid);
	return process ? runtime_layer_add(&processes->profile->modules, &decoded,
					   &process->runtime)
		       : -ENOMEM;
}

int processes_advance(struct process *process, uint64_t time_ns)
{
	return process->jit ? jit_layer_advance(process->jit, time_ns, &process->space) : 0;
}

struct thread *processes_thread(struct processes *processes, int32_t pid, int32_t tid)
{
	return thread_get(processes, pid, tid);
}

struct thread *processes_find_thread(const struct processes *processes, int32_t pid, int32_t tid)
{
	struct thread *thread = processes_find_tid(processes, tid);

	return thread && thread->process->pid == pid ? thread : NULL;
}

struct thread *processes_find_tid(const struct processes *processes, int32_t tid)
{
	return find_id(&processes->by_tid, tid);
}

int processes_each_thread(struct processes *processes,
			  int (*apply)(struct thread *thread, void *arg), void *arg)
{
	for (struct id_slot *slot = NULL;
	     (slot = hash_table_next(&processes->by_tid, &ids, slot));) {
		int rc = apply(slot->value, arg);
		if (rc)
			return rc;
	}
	return 0;
}

int processes_meet_sample(struct processes *processes, struct thread *thread, uint64_t time_ns,
			  uint64_t user_pc)
{
	struct process *process = thread->process;

	return process_epochs_meet_sample(&process->epochs, processes->profile, process->space,
					  time_ns, user_pc);
}

const struct epoch_list *processes_epochs(const struct profile *profile,
					  const struct sample *sample)
{
	if (sample->process_index != UINT32_MAX)
		return &profile->processes[sample->process_index].epochs;
	return process_epochs_list(&sample->thread->process->epochs, profile);
}

void sample_place(struct sample *sample, struct thread *thread)
{
	const struct process *process = thread->process;

	sample->thread = thread;
	sample->space = address_space_ref(process->space);
	sample->memory = stack_memory_ref(thread->memory);
	sample->runtime = runtime_codes_ref(process->runtime);
	sample->process_index = process->profile_index;
	sample->thread_index = thread->profile_index;
	sample->has_exec = process->has_exec;
	sample->is_exec = process->is_exec;
	sample->has_memory = process->has_memory;
}

int processes_enter(struct processes *processes, struct thread *thread)
{
	struct process *process = thread->process;

	if (process->profile_index == UINT32_MAX)
		process->profile_index =
			profile_add_process(processes->profile, process->pid, process->name);
	if (process->profile_index == UINT32_MAX)
		return -ENOMEM;
	process_epochs_enter(&process->epochs, processes->profile, process->profile_index);
	if (thread->profile_index == UINT32_MAX)
		thread->profile_index = profile_add_thread(processes->profile, thread->tid,
							   process->profile_index, thread->name);
	return thread->profile_index == UINT32_MAX ? -ENOMEM : 0;
}
