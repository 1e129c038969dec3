/*
 * The judge of unwinding: single-steps a program, keeps the shadow stack of each of its threads,
 * and gives the unwinder at each instruction what perf would give it, registers and a copy of the
 * stack. It must find the very callers of the shadow stack, and the root.
 */
#ifndef TESTS_SINGLE_STEP_H
#define TESTS_SINGLE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/walk/unwind.h"

struct traced_program {
	const char *path;
	unsigned signal_every; /* steps: a SIGUSR1; 0: only the signals it sends itself */
	bool skip_loader;      /* begin at the program's entry */
	const char *setting;   /* NAME=VALUE of its environment; NULL: none */
};

/* Every instruction checked is counted once: @n_complete, or what was right but incomplete. */
struct traced_counts {
	uint64_t n_checked;
	uint64_t n_complete;    /* all callers, and the root */
	uint64_t n_without_cfi; /* ends at code that no CFI describes, and says so */
	/* Ends at the instruction that a handler on an alternate stack interrupted: the stack that
	 * was interrupted is not in the copy. */
	uint64_t n_other_stack;
	/* Ends where the copy does, at a page of the stack that was never touched. */
	uint64_t n_untouched;
	/* In longjmp(), setcontext() and the like, just before the jump: the target's registers lie
	 * in memory that is not in the copy. */
	uint64_t n_jumping;
	/* In libgcc's _Unwind_*, after the landing pad's registers have overwritten those that the
	 * CFI describes: the caller cannot be known, and is not checked. */
	uint64_t n_installed;
	uint64_t n_wrong;
	struct unwind_stats unwind;
};

/* Runs the program to its end, which must be exit(0); prints what is wrong. */
void single_step(const struct traced_program *program, struct traced_counts *counts_ret);

#endif
