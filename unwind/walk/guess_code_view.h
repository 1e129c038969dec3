/*
 * The caller of a frame in code made at run time, of which the bytes are known: they are followed
 * to where they return (unwind/code/code_scan.h). Only the frame pointer has to be given back, for
 * compilers at run time know no other register that calls leave alone.
 *
 * All ways to return must agree on the place of the return address. It must be behind a call; where
 * there are no bytes to ask, in executable memory, and the frame pointers must go up. So they must
 * where a return address in other code made at run time is behind no call, for an interpreter made
 * it or a call was patched.
 */
#ifndef UNWIND_WALK_GUESS_CODE_VIEW_H
#define UNWIND_WALK_GUESS_CODE_VIEW_H

#include "unwind/code/code_scan.h"
#include "unwind/rules/code_view.h"
#include "unwind/walk/process_code.h"

/* What one thread has learnt of code made at run time. The bytes of views are told apart by where
 * they lie: they stay there, and the same, as long as this lives. */
struct made_rules;

/* NULL: out of memory. */
struct made_rules *made_rules_create(void);
void made_rules_destroy(struct made_rules *rules);

/* By the bytes that were read while samples were taken: moves @regs to the caller. false: nothing
 * is told, and @regs are unchanged. @is_exact: their pc is no return address. */
bool guess_by_code_view(struct made_rules *rules, struct code_scan *scan,
			const struct process_code *process, const struct stack_copy *stack,
			const struct code_source *source, bool is_exact, struct regs *regs);

/* The same by the bytes that a jitdump has of the code. */
bool guess_by_dumped_code(struct made_rules *rules, struct code_scan *scan,
			  const struct process_code *process, const struct stack_copy *stack,
			  bool is_exact, struct regs *regs);

#endif
