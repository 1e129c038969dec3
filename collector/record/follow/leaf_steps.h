/*
 * How the kernel can read at a sample what a variable of the sampled function leads to: the
 * evaluation of its description with made-up numbers in registers, each far from all others, shows
 * from which of them, or from which word that was read, an address is computed
 * (perf/counters/follow_program.h; report/values/entry_place.h does so for a function's entry).
 *
 * Descriptions come from files: steps and their sizes are bounded.
 */
#ifndef COLLECTOR_RECORD_FOLLOW_LEAF_STEPS_H
#define COLLECTOR_RECORD_FOLLOW_LEAF_STEPS_H

#include "perf/counters/follow_program.h"
#include "report/values/value_expression.h"

/*
 * Adds the steps that lead to the expression's value, and to its text, in the frame of the sampled
 * instruction, whose variable is described by @variable. @sp: the number of the stack pointer.
 * false, with @steps as before: the value depends on more than registers and memory that are added
 * up, or there is no room.
 */
bool leaf_steps_add(struct follow_rule *steps, const struct debug_frame *leaf, unsigned sp,
		    const struct value_expression *expression, Dwarf_Die *variable);

#endif
