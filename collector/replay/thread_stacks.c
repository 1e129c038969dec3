#include "collector/replay/thread_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

/* Of stacks that are known, or are held by samples under way. Recorders stay far below it; a file
 * of compressed zeros must not fill our memory. */
#define IN_USE_MAX (1ull << 30)

struct thread_stacks {
	struct processes *processes;
	/* The run of records that is being read: its first header, and bytes up to @n_read. */
	struct stack_record_header run;
	uint64_t words[STACK_RECORD_WORDS_MAX];
	struct stack_block *block; /* NULL: none */
	size_t n_read;
	uint64_t contexts_lost_ns; /* contexts up to then are not to be used */
	atomic_size_t in_use;
};

struct thread_stacks *thread_stacks_create(struct processes *processes)
{
	struct thread_stacks *stacks = calloc(1, sizeof(*stacks));

	if (stacks)
		stacks->processes = processes;
	return stacks;
}

void thread_stacks_destroy(struct thread_stacks *stacks)
{
	if (!stacks)
		return;
	stack_block_unref(stacks->block);
	free(stacks);
}

/* The thread's memory, to be changed. NULL: out of memory. */
static struct stack_memory *own_memory(struct thread *thread)
{
	struct stack_memory *memory =
		thread->memory ? stack_memory_own(thread->memory) : stack_memory_create();

	if (memory)
		thread->memory = memory;
	return memory;
}

/* Takes over @block. */
static int set_rest(const struct thread_stacks *stacks, struct stack_memory *memory,
		    struct stack_block *block)
{
	const struct stack_record_header *run = &stacks->run;
	size_t n_guards = run->n_words / 2;

	if (n_guards > STACK_GUARDS_MAX || run->end < run->start ||
	    run->end - run->start > STACK_RECORD_SIZE_MAX) {
		memory->n_guards = 0;
		stack_block_unref(block);
		return -EINVAL;
	}
	int err =
		stack_memory_set_rest(memory, run->start, block, run->start + run->size, run->end);
	for (size_t i = 0; i < n_guards && !err; i++)
		memory->guards[memory->n_guards++] =
			(struct stack_guard){ .addr = stacks->words[2 * i],
					      .value = stacks->words[2 * i + 1] };
	return err;
}

/* Takes over @block. */
static int add_context(const struct thread_stacks *stacks, const struct machine *machine,
		       struct stack_memory *memory, struct stack_block *block)
{
	const struct stack_record_header *run = &stacks->run;
	struct stack_context context = { .time_ns = run->born_ns,
					 .is_full = run->end > run->start + run->size,
					 .block = block };
	uint64_t abi = run->n_words >= 2 ? stacks->words[0] : 0;
	uint64_t mask = run->n_words >= 2 ? stacks->words[1] : 0;

	context.arch = machine_arch(machine, abi);
	if (!context.arch || (size_t)__builtin_popcountll(mask) + 2 > run->n_words ||
	    !regs_from_perf(context.arch, mask, stacks->words + 2, &context.regs) ||
	    context.regs.values[context.arch->sp] != run->start) {
		stack_block_unref(block);
		return -EINVAL;
	}
	stack_memory_add_context(memory, &context);
	return 0;
}

/* Takes over @block. */
static void add_second(const struct thread_stacks *stacks, struct stack_memory *memory,
		       struct stack_block *block)
{
	const struct stack_record_header *run = &stacks->run;
	const struct second_stack second = { .start = run->start,
					     .is_saved = run->kind == STACK_RECORD_GOROUTINE,
					     .is_full = run->end > run->start + run->size,
					     .block = block };

	stack_memory_add_second(memory, &second, run->time_ns);
}

/* The run is whole. */
static int finish_run(struct thread_stacks *stacks, const struct machine *machine)
{
	const struct stack_record_header *run = &stacks->run;
	struct thread *thread = processes_thread(stacks->processes, run->pid, run->tid);
	struct stack_memory *memory = thread ? own_memory(thread) : NULL;

	if (!memory)
		return -ENOMEM;
	struct stack_block *block = steal_ptr(stacks->block);
	if (run->kind == STACK_RECORD_REST)
		return set_rest(stacks, memory, block);
	if (run->kind == STACK_RECORD_CONTEXT && run->born_ns > stacks->contexts_lost_ns)
		return add_context(stacks, machine, memory, block);
	if (run->kind == STACK_RECORD_CONTEXT)
		stack_block_unref(block);
	else
		add_second(stacks, memory, block);
	return 0;
}

static int begin_run(struct thread_stacks *stacks, const struct stack_record *record)
{
	stack_block_unref(steal_ptr(stacks->block));
	stacks->run = record->header;
	stacks->n_read = 0;
	if (stacks->in_use + record->header.size > IN_USE_MAX)
		return -EINVAL;
	memcpy(stacks->words, record->words, record->header.n_words * sizeof(*record->words));
	stacks->block = stack_block_create(record->header.size, &stacks->in_use);
	return stacks->block ? 0 : -ENOMEM;
}

static bool continues(const struct thread_stacks *stacks, const struct stack_record_header *header)
{
	const struct stack_record_header *run = &stacks->run;

	return stacks->block && header->kind == run->kind && header->pid == run->pid &&
	       header->tid == run->tid && header->time_ns == run->time_ns &&
	       header->born_ns == run->born_ns && header->start == run->start &&
	       header->size == run->size && header->offset == stacks->n_read;
}

static int take_part(struct thread_stacks *stacks, const struct machine *machine,
		     const struct stack_record *record)
{
	const struct stack_record_header *header = &record->header;
	int err = header->offset ? 0 : begin_run(stacks, record);

	if (err || !continues(stacks, header))
		return err ? err : -EINVAL;
	memcpy(stacks->block->bytes + header->offset, record->bytes, header->part_size);
	stacks->n_read += header->part_size;
	return stacks->n_read == header->size ? finish_run(stacks, machine) : 0;
}

static int change(struct thread_stacks *stacks, const struct stack_record_header *header)
{
	struct thread *thread = processes_thread(stacks->processes, header->pid, header->tid);

	if (!thread || !thread->memory)
		return thread ? 0 : -ENOMEM;
	struct stack_memory *memory = own_memory(thread);
	if (!memory)
		return -ENOMEM;
	if (header->kind == STACK_RECORD_TOUCHED)
		stack_memory_drop_guard(memory, header->start);
	else
		stack_memory_drop_context(memory, header->born_ns);
	return 0;
}

static int lose_contexts(struct thread *thread, void *arg)
{
	const uint64_t *until_ns = arg;

	if (!thread->memory || !thread->memory->n_contexts)
		return 0;
	struct stack_memory *memory = own_memory(thread);
	if (!memory)
		return -ENOMEM;
	stack_memory_drop_contexts(memory, *until_ns);
	return 0;
}

int thread_stacks_apply(struct thread_stacks *stacks, const struct machine *machine,
			const struct perf_event_header *bytes)
{
	struct stack_record record;

	if (!stack_record_decode(bytes, &record))
		return -EINVAL;
	switch ((enum stack_record_kind)record.header.kind) {
	case STACK_RECORD_REST:
	case STACK_RECORD_CONTEXT:
	case STACK_RECORD_INTERRUPTED:
	case STACK_RECORD_GOROUTINE:
		return take_part(stacks, machine, &record);
	case STACK_RECORD_TOUCHED:
	case STACK_RECORD_CONTEXT_OVER:
		return change(stacks, &record.header);
	case STACK_RECORD_CONTEXTS_LOST:
		stacks->contexts_lost_ns = record.header.born_ns;
		return processes_each_thread(stacks->processes, lose_contexts,
					     &stacks->contexts_lost_ns);
	case STACK_RECORD_MISSES:
		return 0;
	}
	return 0;
}

int thread_stacks_meet_sample(struct thread *thread, uint64_t time_ns)
{
	if (!thread->memory || !thread->memory->n_seconds || thread->memory->seconds_ns == time_ns)
		return 0;
	struct stack_memory *memory = own_memory(thread);
	if (!memory)
		return -ENOMEM;
	stack_memory_drop_seconds(memory);
	return 0;
}
