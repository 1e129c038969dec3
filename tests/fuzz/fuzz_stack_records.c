/* Any bytes as stack records of two threads: put together, kept, and read from afterwards. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/replay/thread_stacks.h"

enum { MAX_RECORD = 4096, MAX_RECORDS = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A sanitizer sees bytes that are not there. */
static uint64_t touch(const struct stack_memory *memory)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < memory->n_pieces; i++) {
		const struct stack_piece *piece = &memory->pieces[i];

		for (uint64_t addr = piece->start; addr < piece->end; addr += 4096)
			sum += *stack_memory_find(memory, addr, 1);
		if (piece->start < piece->end)
			sum += *stack_memory_find(memory, piece->end - 1, 1);
	}
	for (size_t i = 0; i < memory->n_contexts; i++) {
		const struct stack_block *block = memory->contexts[i].block;

		sum += block->size ? block->bytes[block->size - 1] : 0;
		sum += stack_memory_find_context(memory, memory->contexts[i].arch,
						 &memory->contexts[i].regs, 0);
	}
	for (size_t i = 0; i < memory->n_seconds; i++) {
		const struct stack_block *block = memory->seconds[i].block;

		sum += block->size ? block->bytes[0] + block->bytes[block->size - 1] : 0;
	}
	return sum;
}

/* The first two bytes say how long a record is, the rest is its inside. */
static size_t next_record(const uint8_t *bytes, size_t size, uint64_t *space)
{
	struct perf_event_header *record = (struct perf_event_header *)space;
	uint64_t magic = STACK_RECORD_MAGIC;
	uint16_t inside;

	if (size < sizeof(inside))
		return 0;
	memcpy(&inside, bytes, sizeof(inside));
	inside %= MAX_RECORD - sizeof(*record) - sizeof(magic);
	if (inside > size - sizeof(inside))
		inside = (uint16_t)(size - sizeof(inside));
	*record = (struct perf_event_header){
		.type = RECORD_ATTACHMENT,
		.size = (uint16_t)(sizeof(*record) + sizeof(magic) + inside),
	};
	memcpy(record + 1, &magic, sizeof(magic));
	memcpy((uint8_t *)(record + 1) + sizeof(magic), bytes + sizeof(inside), inside);
	return sizeof(inside) + inside;
}

static void read_all(struct processes *processes, struct thread_stacks *stacks,
		     const uint8_t *bytes, size_t size)
{
	uint64_t space[MAX_RECORD / sizeof(uint64_t)];
	size_t used;

	for (int i = 0; i < MAX_RECORDS && (used = next_record(bytes, size, space)); i++) {
		struct stack_record_header *header =
			(void *)((uint8_t *)space + sizeof(struct perf_event_header));

		header->pid = 1;
		header->tid &= 1;
		int err = thread_stacks_apply(stacks, machine_find("x86_64"), (void *)space);
		struct stack_memory *memory = processes_thread(processes, 1, header->tid)->memory;
		/* Someone holds what the next record changes. */
		stack_memory_ref(memory);
		if (err && err != -EINVAL)
			abort();
		bytes += used;
		size -= used;
		if (memory)
			touch(memory);
		stack_memory_unref(memory);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct profile *profile = profile_create();
	struct processes *processes = processes_create(profile, NULL);
	struct thread_stacks *stacks = thread_stacks_create(processes);

	read_all(processes, stacks, bytes, size);
	processes_destroy(processes);
	thread_stacks_destroy(stacks);
	profile_destroy(profile);
	return 0;
}
