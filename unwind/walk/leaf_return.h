/*
 * Whether CFI of a sampled instruction may be right: it leads to a return address, which follows a
 * call of a function that may lead to that instruction.
 */
#ifndef UNWIND_WALK_LEAF_RETURN_H
#define UNWIND_WALK_LEAF_RETURN_H

#include "unwind/walk/walk_steps.h"

/* Whether CFI of the sampled instruction, whose frame is still @walk's, may have led to @step.
 * NULL: it has not. */
bool leaf_may_return_to(const struct unwind_walk *walk, struct step *step);

#endif
