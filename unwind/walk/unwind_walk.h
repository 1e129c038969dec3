/*
 * What a walk is given, and its state from frame to frame (unwind/walk/unwind.h).
 */
#ifndef UNWIND_WALK_UNWIND_WALK_H
#define UNWIND_WALK_UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rules/address_space.h"
#include "unwind/rules/code_view.h"
#include "unwind/rules/regs.h"
#include "unwind/rules/rule.h"
#include "unwind/rules/runtime_code.h"
#include "unwind/walk/row_check.h"

struct user_stack {
	const struct arch *arch;
	struct regs regs;
	const uint8_t *bytes; /* from the sampled stack pointer upward */
	size_t size;
	bool is_full;         /* the copy has the requested size: the stack may go on beyond it */
	uint64_t mapping_end; /* as in struct stack_copy */
	const struct code_source *code;    /* that no file has, where it was recorded; or NULL */
	const struct stack_memory *memory; /* what else is known of the thread's stacks; or NULL */
	const struct runtime_codes *runtime; /* descriptions by a run-time system; or NULL */
	const void *thread; /* names it: what repeats of its last walk, of the same unwinder, is not
			       walked again; NULL: every frame is walked */
	uint64_t *sps; /* to be filled with the frames' stack pointers, at most @max_frames; or NULL
			*/
};

struct unwind_stats {
	uint64_t n_walks, n_frames;
	uint64_t n_repeated;    /* of the frames, those known from the thread's last walk */
	uint64_t n_step_hits;   /* found by (code epoch, address) */
	uint64_t n_rule_hits;   /* found by (module, offset) */
	uint64_t n_rule_misses; /* read from CFI */
	uint64_t n_expressions; /* frames that needed a DWARF expression */
	uint64_t n_guessed;     /* frames without CFI whose caller was found and verified */
};

struct unwinder;
struct step; /* unwind/walk/walk_steps.h */

struct unwind_walk {
	struct unwinder *unwinder;
	const struct user_stack *sample; /* borrowed for the walk */
	const struct address_space *space;
	const struct arch *arch;
	struct stack_copy stack;
	const struct code_source *code;      /* or NULL */
	const struct runtime_codes *runtime; /* or NULL */
	struct regs regs;                    /* of the present frame */
	bool is_exact;                       /* the present frame's pc is not a return address */
	bool is_above_assembly; /* code of a file, without CFI, returns to the present frame */
	bool is_leaf;           /* the present frame is the sampled instruction's */
	enum row_check row;     /* of the present frame's row of CFI */
	bool is_leafs_caller;   /* CFI of the sampled instruction has led to the present frame */
	const struct stack_memory *memory;
	size_t next_context;   /* of @memory: those before it have been used */
	uint32_t used_seconds; /* a bit for each second stack of @memory that has been used */
	bool is_elsewhere; /* the walk has left the sample's copy for a context's or a second stack
			    */
	struct step *step; /* of a usual frame, the present one; or NULL */
	bool is_usual;     /* a usual frame has led to the present one */
	/* Set by unwind_frame(). */
	struct frame frame;
	uint64_t addr;           /* lookup address of the frame in the process */
	const struct rule *rule; /* until the next call; NULL: no mapping holds @addr */
	enum unwind_end end;     /* set when either returns false */
};

#endif
