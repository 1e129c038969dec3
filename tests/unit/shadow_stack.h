/*
 * The true call stack of a thread, kept beside it: what its instructions have called and not yet
 * returned from.
 *
 * A call pushes an entry, a return pops it. An entry is also gone when the stack pointer has moved
 * above its slot (longjmp, exceptions). A handler on an alternate stack continues the chain of what
 * it interrupts; a coroutine has a separate chain, which is found by the new stack pointer.
 */
#ifndef TESTS_SHADOW_STACK_H
#define TESTS_SHADOW_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHADOW_DEPTH_MAX    256
#define SHADOW_LANDINGS_MAX 256

enum shadow_kind {
	SHADOW_CALLED,      /* @addr is after a call */
	SHADOW_INTERRUPTED, /* by a signal, before the instruction at @addr */
	SHADOW_RESTORER,    /* what a handler returns to; nobody called */
	SHADOW_STARTED,     /* what a coroutine's function returns to; nobody called */
};

struct shadow_entry {
	enum shadow_kind kind;
	bool is_elsewhere; /* popped, and not yet gone to */
	uint64_t addr;     /* where execution goes on */
	uint64_t slot;     /* address of the word that holds @addr */
};

/* A part of a chain that lies on one stack. */
struct shadow_segment {
	size_t first;  /* index of its outermost entry */
	uint64_t base; /* highest stack pointer */
	uint64_t sp;   /* when the thread left it for another stack */
};

/* Where a call has returned to, in a function that is still there. */
struct shadow_landing {
	uint64_t pc, sp;
	size_t depth; /* of that function's callers */
};

struct shadow_chain {
	struct shadow_entry entries[SHADOW_DEPTH_MAX]; /* outermost first */
	size_t depth;
	struct shadow_landing landings[SHADOW_LANDINGS_MAX]; /* by depth */
	size_t n_landings;
	struct shadow_segment segments[4];
	size_t n_segments;
};

struct shadow_stack {
	struct shadow_chain chains[8];
	size_t n_chains;
	struct shadow_chain *current;
	uint64_t word;               /* bytes */
	uint64_t alt_start, alt_end; /* as given to sigaltstack(); empty: none */
	/* The stack pointer has been replaced; the jump that belongs to it comes. */
	bool is_jumping, is_new_chain;
};

/* How an instruction sets the stack pointer, apart from calls and returns. */
enum shadow_move {
	SHADOW_COMPUTED,
	SHADOW_POPPED, /* pop, to a register or to memory */
	SHADOW_LOADED, /* from memory: a switch to another stack, where it goes down */
};

void shadow_begin(struct shadow_stack *shadow, uint64_t sp, uint64_t word);
void shadow_call(struct shadow_stack *shadow, uint64_t slot, uint64_t return_address);
/*
 * A return that took its address from @slot and went to @pc. It is a jump if nobody was called with
 * that slot: the word pushed there was not a return address.
 */
void shadow_return(struct shadow_stack *shadow, uint64_t slot, uint64_t pc);
/* @word: what the stack pointer points at after the move. */
void shadow_move(struct shadow_stack *shadow, enum shadow_move how, uint64_t from, uint64_t to,
		 uint64_t word);
/* A jump to an address in a register or in memory: it returns, if that is where its caller is. */
void shadow_jump(struct shadow_stack *shadow);
/*
 * The jump has gone to @pc. Where a call has returned to the same place with the same stack
 * pointer, as setjmp() has, the function that made it goes on, and all it has called is gone. The
 * stack pointer alone does not tell: setjmp()'s arguments may lie below the slot of a call without
 * any.
 */
void shadow_land(struct shadow_stack *shadow, uint64_t pc, uint64_t sp);
/* musl's sigsetjmp() keeps its return address in the buffer, and pushes it where a jump has gone
 * to. */
void shadow_push_back(struct shadow_stack *shadow, uint64_t slot, uint64_t return_address);
/* A handler has been entered with @sp. */
void shadow_signal(struct shadow_stack *shadow, uint64_t pc, uint64_t interrupted_sp, uint64_t sp,
		   uint64_t restorer);
void shadow_sigreturn(struct shadow_stack *shadow, uint64_t pc);
bool shadow_is_in_handler(const struct shadow_stack *shadow);

/* The @i-th caller; 0: the innermost. NULL: there are not so many. */
const struct shadow_entry *shadow_caller(const struct shadow_stack *shadow, size_t i);
/* How many callers lie on the stack that the thread is on, the interrupted one included. */
size_t shadow_depth_here(const struct shadow_stack *shadow);
/* Whether @addr is how a frame of this entry is looked up. */
bool shadow_is_frame(const struct shadow_entry *entry, uint64_t addr);

#endif
