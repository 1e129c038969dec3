#include "unwind/rules/stack_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* DWARF number of the register with a system call's result: rax, eax, x0. */
#define RESULT_REG 0
/* The longest instruction that enters the kernel. */
#define SYSCALL_SIZE_MAX 4

struct stack_block *stack_block_create(size_t size, atomic_size_t *in_use)
{
	struct stack_block *block = malloc(sizeof(*block) + size);

	if (!block)
		return NULL;
	block->n_refs = 1;
	block->in_use = in_use;
	block->size = size;
	if (in_use)
		atomic_fetch_add_explicit(in_use, size, memory_order_relaxed);
	return block;
}

static struct stack_block *stack_block_ref(struct stack_block *block)
{
	atomic_fetch_add_explicit(&block->n_refs, 1, memory_order_relaxed);
	return block;
}

void stack_block_unref(struct stack_block *block)
{
	if (!block || atomic_fetch_sub_explicit(&block->n_refs, 1, memory_order_acq_rel) != 1)
		return;
	if (block->in_use)
		atomic_fetch_sub_explicit(block->in_use, block->size, memory_order_relaxed);
	free(block);
}

struct stack_memory *stack_memory_create(void)
{
	struct stack_memory *memory = calloc(1, sizeof(*memory));

	if (memory)
		memory->n_refs = 1;
	return memory;
}

struct stack_memory *stack_memory_ref(struct stack_memory *memory)
{
	if (memory)
		atomic_fetch_add_explicit(&memory->n_refs, 1, memory_order_relaxed);
	return memory;
}

void stack_memory_unref(struct stack_memory *memory)
{
	if (!memory || atomic_fetch_sub_explicit(&memory->n_refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < memory->n_pieces; i++)
		stack_block_unref(memory->pieces[i].block);
	for (size_t i = 0; i < memory->n_contexts; i++)
		stack_block_unref(memory->contexts[i].block);
	stack_memory_drop_seconds(memory);
	free(memory);
}

struct stack_memory *stack_memory_own(struct stack_memory *memory)
{
	if (atomic_load_explicit(&memory->n_refs, memory_order_acquire) == 1)
		return memory;
	struct stack_memory *copy = malloc(sizeof(*copy));
	if (!copy)
		return NULL;
	memcpy(copy, memory, sizeof(*copy));
	copy->n_refs = 1;
	for (size_t i = 0; i < copy->n_pieces; i++)
		stack_block_ref(copy->pieces[i].block);
	for (size_t i = 0; i < copy->n_contexts; i++)
		stack_block_ref(copy->contexts[i].block);
	for (size_t i = 0; i < copy->n_seconds; i++)
		stack_block_ref(copy->seconds[i].block);
	stack_memory_unref(memory);
	return copy;
}

/* Copies the pieces of the rest from address @from on to @to. Takes references. */
static size_t copy_pieces(const struct stack_memory *memory, uint64_t from, struct stack_piece *to)
{
	size_t n = 0;

	for (size_t i = 0; i < memory->n_pieces; i++) {
		struct stack_piece piece = memory->pieces[i];

		if (piece.end <= from)
			continue;
		if (piece.start < from) {
			piece.bytes += from - piece.start;
			piece.start = from;
		}
		stack_block_ref(piece.block);
		to[n++] = piece;
	}
	return n;
}

static void drop_pieces(struct stack_piece *pieces, size_t n)
{
	for (size_t i = 0; i < n; i++)
		stack_block_unref(pieces[i].block);
}

/* All pieces as one. 0 or -ENOMEM. */
static int join_pieces(struct stack_piece *pieces, size_t n)
{
	uint64_t start = pieces[0].start;
	struct stack_block *block =
		stack_block_create(pieces[n - 1].end - start, pieces[0].block->in_use);

	if (!block)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		memcpy(block->bytes + (pieces[i].start - start), pieces[i].bytes,
		       pieces[i].end - pieces[i].start);
	uint64_t end = pieces[n - 1].end;
	drop_pieces(pieces, n);
	pieces[0] = (struct stack_piece){ start, end, block->bytes, block };
	return 0;
}

int stack_memory_set_rest(struct stack_memory *memory, uint64_t start, struct stack_block *block,
			  uint64_t shared_from, uint64_t end)
{
	struct stack_piece pieces[STACK_PIECES_MAX];
	size_t n = 0;
	int err = 0;

	memory->n_guards = 0;
	if (block->size)
		pieces[n++] = (struct stack_piece){ start, start + block->size, block->bytes,
						    stack_block_ref(block) };
	stack_block_unref(block);
	if (shared_from < end && memory->n_pieces) {
		struct stack_piece old[STACK_PIECES_MAX];
		size_t n_old = copy_pieces(memory, shared_from, old);

		if (n_old + n > STACK_PIECES_MAX) {
			err = join_pieces(old, n_old);
			n_old = err ? n_old : 1;
		}
		if (err) {
			drop_pieces(old, n_old);
			drop_pieces(pieces, n);
			return err;
		}
		memcpy(pieces + n, old, n_old * sizeof(*old));
		n += n_old;
	}
	bool is_whole = n && pieces[0].start == start && pieces[n - 1].end == end;
	for (size_t i = 1; i < n; i++)
		is_whole = is_whole && pieces[i].start == pieces[i - 1].end;
	if (!is_whole) {
		drop_pieces(pieces, n);
		return -EINVAL;
	}
	drop_pieces(memory->pieces, memory->n_pieces);
	memcpy(memory->pieces, pieces, n * sizeof(*pieces));
	memory->n_pieces = (uint8_t)n;
	return 0;
}

void stack_memory_drop_guard(struct stack_memory *memory, uint64_t addr)
{
	uint8_t n_left = 0;

	for (uint8_t i = 0; i < memory->n_guards; i++) {
		if (memory->guards[i].addr != addr)
			memory->guards[n_left++] = memory->guards[i];
	}
	memory->n_guards = n_left;
}

static void remove_context(struct stack_memory *memory, size_t index)
{
	stack_block_unref(memory->contexts[index].block);
	memory->n_contexts--;
	memmove(&memory->contexts[index], &memory->contexts[index + 1],
		(memory->n_contexts - index) * sizeof(memory->contexts[0]));
}

void stack_memory_add_context(struct stack_memory *memory, const struct stack_context *context)
{
	size_t at = 0;

	if (memory->n_contexts == STACK_CONTEXTS_MAX)
		remove_context(memory, STACK_CONTEXTS_MAX - 1);
	while (at < memory->n_contexts && memory->contexts[at].time_ns > context->time_ns)
		at++;
	memmove(&memory->contexts[at + 1], &memory->contexts[at],
		(memory->n_contexts - at) * sizeof(memory->contexts[0]));
	memory->contexts[at] = *context;
	memory->n_contexts++;
}

void stack_memory_drop_context(struct stack_memory *memory, uint64_t time_ns)
{
	for (size_t i = memory->n_contexts; i-- > 0;) {
		if (memory->contexts[i].time_ns == time_ns)
			remove_context(memory, i);
	}
}

void stack_memory_drop_contexts(struct stack_memory *memory, uint64_t until_ns)
{
	for (size_t i = memory->n_contexts; i-- > 0;) {
		if (memory->contexts[i].time_ns <= until_ns)
			remove_context(memory, i);
	}
}

void stack_memory_add_second(struct stack_memory *memory, const struct second_stack *second,
			     uint64_t time_ns)
{
	if (memory->seconds_ns != time_ns || memory->n_seconds == STACK_SECONDS_MAX)
		stack_memory_drop_seconds(memory);
	memory->seconds_ns = time_ns;
	memory->seconds[memory->n_seconds++] = *second;
}

void stack_memory_drop_seconds(struct stack_memory *memory)
{
	while (memory->n_seconds)
		stack_block_unref(memory->seconds[--memory->n_seconds].block);
}

const uint8_t *stack_memory_find(const struct stack_memory *memory, uint64_t addr, size_t size)
{
	for (size_t i = 0; i < memory->n_pieces; i++) {
		const struct stack_piece *piece = &memory->pieces[i];

		if (addr >= piece->start && addr < piece->end)
			return piece->end - addr >= size ? piece->bytes + (addr - piece->start)
							 : NULL;
	}
	return NULL;
}

bool stack_memory_has_guard(const struct stack_memory *memory, uint64_t addr, uint64_t value)
{
	for (uint8_t i = 0; i < memory->n_guards; i++) {
		if (memory->guards[i].addr == addr && memory->guards[i].value == value)
			return true;
	}
	return false;
}

/* All registers that both know are equal, except registers that a restarted system call changes. */
static bool is_context(const struct stack_context *context, const struct regs *regs)
{
	uint64_t both = context->regs.valid & regs->valid & ~(1ull << RESULT_REG);

	for (uint64_t left = both; left; left &= left - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(left);

		/* Where the return address has a separate column, it is the pc. */
		if (reg != context->arch->ra && context->regs.values[reg] != regs->values[reg])
			return false;
	}
	return context->regs.pc - regs->pc <= SYSCALL_SIZE_MAX;
}

size_t stack_memory_find_context(const struct stack_memory *memory, const struct arch *arch,
				 const struct regs *regs, size_t first)
{
	size_t i = first;

	while (i < memory->n_contexts &&
	       !(memory->contexts[i].arch == arch && is_context(&memory->contexts[i], regs)))
		i++;
	return i;
}
