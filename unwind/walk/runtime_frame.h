/*
 * Frames of code that a run-time system has described (unwind/rules/runtime_code.h): which function
 * it is, and its caller.
 *
 * The description holds where a function's frame is complete. Before that, and where it is being
 * removed, only a sampled instruction can be: then the instructions from there on tell what is
 * still missing or already gone. The return address that it leads to must be in code that is
 * described, too, or that may be returned to.
 */
#ifndef UNWIND_WALK_RUNTIME_FRAME_H
#define UNWIND_WALK_RUNTIME_FRAME_H

#include "unwind/guess/process_code.h"
#include "unwind/rules/code_view.h"
#include "unwind/rules/regs.h"
#include "unwind/rules/runtime_code.h"
#include "unwind/rules/stack_copy.h"

struct runtime_place {
	const struct process_code *process;
	const struct stack_copy *stack;
	const struct runtime_codes *codes;
	const struct code_source *source; /* the bytes of code, where they were recorded; or NULL */
	uint64_t addr;                    /* that the frame is looked up by */
	bool is_exact;                    /* the frame's pc is not a return address */
};

/* The offset in the table's module that stands for the frame: of the code, or of the method that
 * the interpreter executes there. false: the code is not described. */
bool runtime_frame_offset(const struct runtime_place *place, const struct regs *regs,
			  uint64_t *offset_ret);
/* Moves @regs to the caller. false: the description does not lead to one; they are unchanged. */
bool runtime_frame_caller(const struct runtime_place *place, struct regs *regs);

#endif
