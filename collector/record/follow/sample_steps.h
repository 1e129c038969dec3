/*
 * How the kernel can read at a sample what a variable leads to: the evaluation of its description
 * with made-up numbers in registers, each far from all others, shows from which of them, or from
 * which word that was read, an address is computed (perf/counters/follow_program.h;
 * report/values/entry_place.h does so for a function's entry). Registers of callers that are saved
 * on the stack are words at a distance from the sampled stack pointer.
 *
 * Descriptions come from files: steps and their sizes are bounded.
 */
#ifndef COLLECTOR_RECORD_FOLLOW_SAMPLE_STEPS_H
#define COLLECTOR_RECORD_FOLLOW_SAMPLE_STEPS_H

#include "perf/counters/follow_program.h"
#include "report/values/value_expression.h"
#include "unwind/rules/rule.h"

/* The sampled frame or one of its callers. */
struct steps_frame {
	const struct debug_frame *debug; /* borrowed */
	unsigned sp;                     /* the number of the stack pointer */
	uint64_t sampled_sp;
	/* Where the sample has its registers; the addresses are those of words on the stack. */
	struct {
		enum saved_where where;
		uint64_t addr;
	} registers[FOLLOW_NOTHING];
};

/*
 * Adds the steps that lead to the expression's value, and to its text, in the frame, whose variable
 * is described by @variable. false, with @steps as before: the value depends on more than registers
 * and memory that are added up, or there is no room.
 */
bool sample_steps_add(struct follow_rule *steps, const struct steps_frame *frame,
		      const struct value_expression *expression, Dwarf_Die *variable);

#endif
