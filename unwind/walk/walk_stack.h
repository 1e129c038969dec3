/*
 * Which stack a walk is on: what signal handlers interrupt, and functions that switch stacks leave,
 * may be on another one than the sample's, of which the recording may have a copy.
 */
#ifndef UNWIND_WALK_WALK_STACK_H
#define UNWIND_WALK_WALK_STACK_H

#include "unwind/walk/walk_steps.h"

/*
 * Applies the rule of a function that has been called on another stack, or perhaps on this, and
 * enters the stack on which its caller was. Returns like unwind_caller().
 */
bool walk_stack_return(struct unwind_walk *walk);
/* After a step of a walk with ->memory: uses the other copies of stacks, and marks frames that
 * were found in them. */
void walk_stack_use_memory(struct unwind_walk *walk);
/* A signal's frame, or a switch, has led off the stack that the copy is of. */
bool walk_stack_is_left(const struct unwind_walk *walk);

#endif
