/*
 * The caller of a sampled instruction in code made at run time, of which the bytes are known: they
 * are followed to where they return (unwind/code/code_scan.h). Only the frame pointer has to be
 * given back, for compilers at run time know no other register that calls leave alone.
 *
 * All ways to return must agree on the place of the return address. It must be behind a call; where
 * there are no bytes to ask, in executable memory, and the frame pointers must go up.
 */
#ifndef UNWIND_WALK_GUESS_CODE_VIEW_H
#define UNWIND_WALK_GUESS_CODE_VIEW_H

#include "unwind/code/code_scan.h"
#include "unwind/rules/code_view.h"
#include "unwind/walk/process_code.h"

/* Moves @regs, of the sampled instruction, to the caller. false: nothing is told. */
bool guess_by_code_view(struct code_scan *scan, const struct process_code *process,
			const struct stack_copy *stack, const struct code_view *view,
			struct regs *regs);

/* What one thread has learnt of code in jitdumps. */
struct dumped_rules;

struct dumped_rules *dumped_rules_create(void);
void dumped_rules_destroy(struct dumped_rules *rules);

/*
 * The same by the bytes that a jitdump has of the code, which are those of all functions: of any
 * frame's. Where a return address is behind no call there, for an interpreter made it or a call was
 * patched, the frame pointers must go up.
 */
bool guess_by_dumped_code(struct dumped_rules *rules, struct code_scan *scan,
			  const struct process_code *process, const struct stack_copy *stack,
			  bool is_exact, struct regs *regs);

#endif
