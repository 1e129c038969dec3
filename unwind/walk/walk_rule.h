/*
 * From a frame to its caller where that is not the usual step: rules of every kind, code that is
 * followed where a rule is missing or wrong, and descriptions of frames by run-time systems.
 */
#ifndef UNWIND_WALK_WALK_RULE_H
#define UNWIND_WALK_WALK_RULE_H

#include "unwind/walk/runtime_frame.h"
#include "unwind/walk/walk_steps.h"

/* The frame is where its thread begins. */
bool walk_rule_is_root(const struct unwind_walk *walk);
/* Applies the frame's rule, or what does instead. Returns like unwind_caller(). */
bool walk_rule_apply(struct unwind_walk *walk);
/* By the code alone; likewise. */
bool walk_rule_guess(struct unwind_walk *walk);
/* Where the frame is, for what a run-time system knows of it. @process: of the walk. */
struct runtime_place walk_rule_place(const struct unwind_walk *walk,
				     const struct process_code *process);

#endif
