/*
 * Guesses the caller of a frame without CFI, if there is good evidence.
 *
 * The code of a file is followed from the frame to its returns (unwind/code/code_scan.h). This
 * gives a rule, which is kept for all frames at this instruction. The return address that the rule
 * finds must be directly after a call. If the call names its function, the code of that function,
 * followed from its start, must lead to the frame and agree on the place of the return address.
 * Code that never returns is only followed from the start of its function. The start is known by
 * symbols, or by a return address on the stack whose call names it, if that address is exactly
 * where the function would have it.
 *
 * JIT code is followed if its bytes are in a jitdump or were recorded
 * (unwind/guess/guess_code_view.h). Otherwise it may still keep a chain of frame pointers
 * (unwind/guess/guess_anonymous.h).
 *
 * If no candidate passes, or if two pass that differ, no caller is guessed: a missing caller is
 * better than a wrong one.
 */
#ifndef UNWIND_GUESS_GUESS_H
#define UNWIND_GUESS_GUESS_H

#include "unwind/code/code_scan.h"
#include "unwind/guess/process_code.h"
#include "unwind/rules/rule.h"

/* One thread's cache of results for code without CFI. */
struct cfi_function;
struct guesser;

/* NULL: out of memory. */
struct guesser *guesser_create(void);
void guesser_destroy(struct guesser *guesser);

/* Whether @addr, to which CFI led, can be a return address. */
bool guess_is_return_address(const struct process_code *process, uint64_t addr);

/*
 * Moves @regs to the caller; arguments as for rule_apply(). false: no caller was found and @regs
 * are unchanged; @end_ret is the reason, or UNWIND_ROOT for the outermost frame.
 */
bool guess_caller(struct guesser *guesser, const struct process_code *process,
		  const struct stack_copy *stack, struct regs *regs, bool *is_exact,
		  enum unwind_end *end_ret);

/* A function, and the code from @start to @end that CFI describes together with it: offsets in its
 * module. Empty: it is described with none, or not from its beginning on. */
struct called_function {
	uint32_t module;
	uint64_t to_offset; /* from its addresses in the process */
	uint64_t function, start, end;
};

/* What the call before @return_address leads to. false: to anywhere, as through a pointer or a PLT
 * entry, or it is not known. */
bool guess_called(const struct process_code *process, uint64_t return_address,
		  struct called_function *ret);
/* The offsets of the code that CFI describes together with @pc. false: it describes nothing, or
 * exceptions may lead there, as cold parts of functions have landing pads, too. */
bool guess_described(const struct process_code *process, uint64_t pc, struct cfi_function *ret);
/* Whether one of the first instructions of the function of @size bytes at the address @function
 * jumps into @to, as tail calls do: offsets in the same module. */
bool guess_jumps_to(const struct process_code *process, uint64_t function, uint64_t size,
		    const struct cfi_function *to);
/* Whether @function's code, followed to all of its ends, leads to the instruction at @pc, which CFI
 * describes. */
enum code_reach guess_may_lead(struct guesser *guesser, const struct process_code *process,
			       uint64_t function, uint64_t pc);

/* Whether the code before @addr ends in a call. */
bool guess_follows_call(const struct process_code *process, uint64_t addr);

/*
 * Whether the sample was taken at the start of a new thread: after clone's system call, before
 * which the C library's CFI ends, and before the thread's first function, whose CFI says that it
 * has no caller. The code from the sampled instruction on must lead to that function.
 */
bool guess_thread_start(const struct process_code *process, const struct regs *regs);

#endif
