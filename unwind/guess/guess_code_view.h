/*
 * Guesses the caller of a frame in JIT code whose bytes are known: the code is followed to its
 * returns (unwind/code/code_scan.h). Only the frame pointer must be restored, because JIT compilers
 * do not preserve other registers across calls.
 *
 * All ways to return must agree on the place of the return address. The return address must follow
 * a call. If the bytes before it are unknown, it must be in executable memory, and the frame
 * pointers must increase. They must also increase if a return address in other JIT code does not
 * follow a call, because an interpreter made it or a call was patched.
 */
#ifndef UNWIND_GUESS_GUESS_CODE_VIEW_H
#define UNWIND_GUESS_GUESS_CODE_VIEW_H

#include "unwind/code/code_scan.h"
#include "unwind/guess/process_code.h"
#include "unwind/rules/code_view.h"

/* One thread's cache of results for JIT code. The bytes of views are identified by their address in
 * this program: they must stay there unchanged for the life of the cache. */
struct made_rules;

/* NULL: out of memory. */
struct made_rules *made_rules_create(void);
void made_rules_destroy(struct made_rules *rules);

/*
 * Uses the bytes that were read while samples were taken, and moves @regs to the caller. false: the
 * code does not show the caller, and @regs are unchanged. @is_exact: their pc is not a return
 * address.
 */
bool guess_by_code_view(struct made_rules *rules, struct code_scan *scan,
			const struct process_code *process, const struct stack_copy *stack,
			const struct code_source *source, bool is_exact, struct regs *regs);

/* The same with the bytes of the code in a jitdump. */
bool guess_by_dumped_code(struct made_rules *rules, struct code_scan *scan,
			  const struct process_code *process, const struct stack_copy *stack,
			  bool is_exact, struct regs *regs);

#endif
