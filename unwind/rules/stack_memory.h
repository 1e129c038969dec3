/*
 * Memory of a thread's stacks that was recorded apart from its samples.
 *
 * The rest of a stack is what lies beyond the copies of samples. It was read from the living
 * process while words in the copy, the guards, were watched: a guard is a word that holds a return
 * address and was neither read nor written since the rest was read. The frame that returns by it
 * has not returned, then (ret reads it), nor was it left otherwise and called again (call writes
 * it); so all that lies above it is of the same calls. A walk that meets a guard as the place of a
 * frame's return address may go on in the rest; no other walk may.
 *
 * A context is what a signal interrupted: registers and stack, as they were when the kernel
 * delivered it. A walk through the signal's frame to these very registers may go on there.
 */
#ifndef UNWIND_RULES_STACK_MEMORY_H
#define UNWIND_RULES_STACK_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "unwind/rules/regs.h"

#define STACK_GUARDS_MAX   4
#define STACK_PIECES_MAX   16
#define STACK_CONTEXTS_MAX 8

/* Bytes that many may look at. */
struct stack_block {
	atomic_uint n_refs;
	atomic_size_t *in_use; /* NULL, or counts the bytes of its blocks; outlives them */
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

/* Immutable while anyone but its owner holds a reference. */
struct stack_memory {
	atomic_uint n_refs;
	uint8_t n_guards, n_pieces, n_contexts;
	struct stack_guard guards[STACK_GUARDS_MAX];
	struct stack_piece pieces[STACK_PIECES_MAX];       /* one after the other, lowest first */
	struct stack_context contexts[STACK_CONTEXTS_MAX]; /* newest first */
};

/* NULL, like all of these: out of memory. */
struct stack_memory *stack_memory_create(void);
struct stack_memory *stack_memory_ref(struct stack_memory *memory); /* NULL: NULL */
void stack_memory_unref(struct stack_memory *memory);
/* One that is the caller's own: @memory if no one else holds it, else a copy in its place. */
struct stack_memory *stack_memory_own(struct stack_memory *memory);

/*
 * The rest is now @block, from @start on, and above it what the rest before had from
 * @shared_from on; that may be the end of @block, with nothing above. Takes over @block. 0, -EINVAL
 * (the rest before has no such part) or -ENOMEM; unchanged then, but for the guards: none.
 */
int stack_memory_set_rest(struct stack_memory *memory, uint64_t start, struct stack_block *block,
			  uint64_t shared_from, uint64_t end);
void stack_memory_drop_guard(struct stack_memory *memory, uint64_t addr);
/* Takes over its block. The oldest one goes where there is no room. */
void stack_memory_add_context(struct stack_memory *memory, const struct stack_context *context);
void stack_memory_drop_context(struct stack_memory *memory, uint64_t time_ns);
/* All up to that time. */
void stack_memory_drop_contexts(struct stack_memory *memory, uint64_t until_ns);

/* @size bytes at @addr in the rest, in one piece of the memory. NULL: not there. */
const uint8_t *stack_memory_find(const struct stack_memory *memory, uint64_t addr, size_t size);
bool stack_memory_has_guard(const struct stack_memory *memory, uint64_t addr, uint64_t value);
/*
 * The context that a signal's frame restores @regs from, the newest of those from @first on, as
 * an index; n_contexts: none. The kernel may have prepared the restart of an interrupted system
 * call in between: the instruction is executed again, and the register of its result is another.
 */
size_t stack_memory_find_context(const struct stack_memory *memory, const struct arch *arch,
				 const struct regs *regs, size_t first);

#endif
