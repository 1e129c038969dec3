/*
 * Unwinds a stack copy while recording: does the path reach the root, and which return addresses in
 * the copy may guard the rest of the stack (unwind/rules/stack_memory.h)?
 */
#ifndef COLLECTOR_RECORD_STACKS_STACK_GUARDS_H
#define COLLECTOR_RECORD_STACKS_STACK_GUARDS_H

#include "unwind/rules/stack_memory.h"
#include "unwind/walk/unwind.h"

#define N_GUARDS 3

/* The result of unwinding a copy. */
struct guarded_walk {
	enum unwind_end end;
	uint64_t first_sp, last_sp; /* of the frames */
	struct stack_guard guards[N_GUARDS];
	size_t n_guards;   /* lowest first, all different */
	bool is_elsewhere; /* it reached another stack, whose memory is not in the copy */
};

void guarded_walk(struct unwinder *unwinder, const struct address_space *space,
		  const struct user_stack *stack, struct guarded_walk *ret);

#endif
