/*
 * The memory that one walk reads, as a case holds it (collector/debug-unwind/unwind_case.h): the
 * sample's copy of the stack, the known memory of the thread's stacks beyond it, and JIT code. All
 * of it is copied, without text, and reduced to what the walk used.
 */
#ifndef COLLECTOR_DEBUG_UNWIND_CASE_STACKS_H
#define COLLECTOR_DEBUG_UNWIND_CASE_STACKS_H

#include <stdio.h>

#include "unwind/walk/unwind.h"

/* What a walk used. */
struct used_stacks {
	const uint64_t *sps, *addrs; /* of its frames: stack pointers, and places in code */
	size_t n_frames;
	bool is_at_root;   /* it ended at the outermost frame */
	bool has_rest;     /* it left the copy for the rest of the stack */
	size_t n_contexts; /* the newest ones it went through */
	bool has_seconds;  /* it went through second stacks */
};

/* The bytes of one view. */
struct case_code {
	uint8_t known[CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE];
	uint8_t kept[CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE];
};

struct case_stacks {
	struct user_stack stack; /* as walks take it: with the copies */
	uint8_t *bytes;          /* of the sample's copy */
	struct stack_memory *memory;
	uint64_t *addrs; /* places in code that the walk went through */
	size_t n_addrs;
	struct code_view_list list; /* of ->views, each of what is kept */
	struct code_view *views;
	struct case_code *codes;
	size_t n_codes;
};

/* May be released whatever comes of it, and if it is all zeros. 0 or -ENOMEM. */
int case_stacks_init(struct case_stacks *stacks, const struct user_stack *from,
		     const struct address_space *space, const struct used_stacks *used);
void case_stacks_deinit(struct case_stacks *stacks);
/* Of the code that no file holds, keeps @window bytes to both sides of where frames stand. */
void case_stacks_keep_code(struct case_stacks *stacks, uint64_t window);

/* As docs/FORMAT.md describes them: the sampled registers; then all the bytes. */
void case_stacks_write_regs(FILE *out, const struct case_stacks *stacks);
void case_stacks_write_bytes(FILE *out, const struct case_stacks *stacks);

#endif
