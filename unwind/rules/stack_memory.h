/*
 * Memory of a thread's stacks that was recorded separately from its samples.
 *
 * The rest of a stack is the part beyond the copies of samples. It was read from the living process
 * while words in the copy, the guards, were watched. A guard is a word that contains a return
 * address and has been neither read nor written since the rest was read. So the frame that returns
 * by it has not returned (ret reads the word), nor was it left otherwise and called again (call
 * writes the word), and the stack above the guard still belongs to the same calls. A walk may
 * continue in the rest only if it finds a frame's return address in a guard.
 *
 * A context is the state that a signal interrupted: registers and stack at the moment when the
 * kernel delivered the signal. A walk through the signal's frame to exactly these registers may
 * continue there.
 *
 * A second stack is one that the thread had left for the sample's, as it was when the sample was
 * taken: for a handler on an alternate signal stack, the stack that the signal interrupted; for
 * Go's scheduler, the goroutine's. Where it was left is known, and a walk continues exactly there.
 */
#ifndef UNWIND_RULES_STACK_MEMORY_H
#define UNWIND_RULES_STACK_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "unwind/rules/regs.h"

#define STACK_GUARDS_MAX   4
#define STACK_PIECES_MAX   16
#define STACK_CONTEXTS_MAX 8
#define STACK_SECONDS_MAX  2

/* Bytes that are shared by reference counts. */
struct stack_block {
	atomic_uint n_refs;
	atomic_size_t *in_use; /* NULL, or a counter of such blocks' bytes; outlives them */
	size_t size;
	uint8_t bytes[];
};

/* NULL: out of memory. */
struct stack_block *stack_block_create(size_t size, atomic_size_t *in_use);
void stack_block_unref(struct stack_block *block);

struct stack_guard {
	uint64_t addr, value;
};

/* The bytes at [start, end), somewhere in @block. */
struct stack_piece {
	uint64_t start, end;
	const uint8_t *bytes;
	struct stack_block *block;
};

struct stack_context {
	uint64_t time_ns;
	const struct arch *arch;
	struct regs regs;
	bool is_full; /* the stack may go on beyond the block */
	struct stack_block *block;
};

struct second_stack {
	uint64_t start; /* where it was left; address of the first byte */
	bool is_saved;  /* by a call of a function that saved @start; else by a signal */
	bool is_full;   /* the stack may go on beyond the block */
	struct stack_block *block;
};

/* Immutable while anyone but its owner holds a reference. */
struct stack_memory {
	atomic_uint n_refs;
	uint8_t n_guards, n_pieces, n_contexts, n_seconds;
	struct stack_guard guards[STACK_GUARDS_MAX];
	struct stack_piece pieces[STACK_PIECES_MAX];       /* one after the other, lowest first */
	struct stack_context contexts[STACK_CONTEXTS_MAX]; /* newest first */
	struct second_stack seconds[STACK_SECONDS_MAX];
	uint64_t seconds_ns; /* the time of the sample whose second stacks they are */
};

/* All three return NULL if out of memory. */
struct stack_memory *stack_memory_create(void);
struct stack_memory *stack_memory_ref(struct stack_memory *memory); /* NULL: NULL */
void stack_memory_unref(struct stack_memory *memory);
/* Returns memory that only the caller holds: @memory if nobody else holds it, else a copy that
 * replaces it. */
struct stack_memory *stack_memory_own(struct stack_memory *memory);

/*
 * Replaces the rest by @block, from @start on, followed by the part of the previous rest from
 * @shared_from on, which may be empty. Takes over @block. 0, -EINVAL (the previous rest has no such
 * part) or -ENOMEM. On failure the rest is unchanged, but has no guards.
 */
int stack_memory_set_rest(struct stack_memory *memory, uint64_t start, struct stack_block *block,
			  uint64_t shared_from, uint64_t end);
void stack_memory_drop_guard(struct stack_memory *memory, uint64_t addr);
/* Adds a context and takes over its block. If there is no room, the oldest context is dropped. */
void stack_memory_add_context(struct stack_memory *memory, const struct stack_context *context);
void stack_memory_drop_context(struct stack_memory *memory, uint64_t time_ns);
/* Drops all contexts up to that time. */
void stack_memory_drop_contexts(struct stack_memory *memory, uint64_t until_ns);
/* Adds a second stack of the sample of that time, and takes over its block. Second stacks of other
 * samples are dropped. */
void stack_memory_add_second(struct stack_memory *memory, const struct second_stack *second,
			     uint64_t time_ns);
void stack_memory_drop_seconds(struct stack_memory *memory);

/* @size bytes at @addr in the rest, in one piece of the memory. NULL: not there. */
const uint8_t *stack_memory_find(const struct stack_memory *memory, uint64_t addr, size_t size);
bool stack_memory_has_guard(const struct stack_memory *memory, uint64_t addr, uint64_t value);
/*
 * The index of the newest context, from @first on, with the registers @regs that a signal's frame
 * restores; n_contexts: no such context. The kernel may meanwhile have prepared the restart of an
 * interrupted system call: then the pc is back at the instruction, and the register of the result
 * differs.
 */
size_t stack_memory_find_context(const struct stack_memory *memory, const struct arch *arch,
				 const struct regs *regs, size_t first);

#endif
