/*
 * Walks user stacks offline, from one sample's registers and stack bytes, with DWARF CFI.
 *
 * Algorithm: DWARF 5, section 6.4; x86-64 psABI 3.7 and LSB Core 10.6 for .eh_frame. A row of CFI
 * becomes a compact rule once (unwind/rules/rule.h) and is found again by (code epoch, address),
 * then by (module, offset). An unwinder belongs to one thread; elf_modules is shared.
 */
#ifndef UNWIND_WALK_UNWIND_H
#define UNWIND_WALK_UNWIND_H

#include "unwind/modules/elf_modules.h"
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

/* @elf_modules is borrowed for the unwinder's life. */
struct unwinder *unwinder_create(struct elf_modules *elf_modules);
void unwinder_destroy(struct unwinder *unwinder);
const struct unwind_stats *unwinder_stats(const struct unwinder *unwinder);

/* The result of a walk, beside its frames. */
struct unwind_result {
	enum unwind_end end; /* UNWIND_ROOT, or why the callers above the last frame are missing */
	uint32_t n_guessed;  /* frames with FRAME_GUESSED */
	uint32_t n_stitched; /* frames with FRAME_STITCHED */
};

/**
 * Walks a user stack from one sample's registers and stack bytes.
 *
 * @stack:   borrowed for the call; bytes start at the sampled stack pointer.
 * @frames:  filled leaf first with lookup addresses, at most @max_frames.
 * @addrs:   the same frames as addresses in the process; may be NULL. Walks repeat others only with
 *           these and @stack->sps.
 *
 * Returns the number of frames, at least 1: the sampled instruction itself (module 0 and
 * the address itself as offset, if no mapping holds it).
 */
size_t unwind_user_stack(struct unwinder *unwinder, const struct address_space *space,
			 const struct user_stack *stack, struct frame *frames, uint64_t *addrs,
			 size_t max_frames, struct unwind_result *result_ret);

/*
 * The same walk, a frame at a time, for callers that observe each step:
 *
 *	unwind_begin(&walk, ...);
 *	while (unwind_frame(&walk))
 *		if (!unwind_caller(&walk))
 *			break;
 */
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

void unwind_begin(struct unwind_walk *walk, struct unwinder *unwinder,
		  const struct address_space *space, const struct user_stack *stack);
/* Finds the frame of the present registers. false: their pc is not in code; never for the leaf. */
bool unwind_frame(struct unwind_walk *walk);
/*
 * The CFA of the present frame, between the two calls. What of its registers is known is in
 * @walk->regs: of the sampled instruction all that were recorded, of callers those that functions
 * keep, as CFI restores them. false: CFI does not describe the frame.
 */
bool unwind_cfa(const struct unwind_walk *walk, uint64_t *cfa_ret);
/* Moves the registers to the caller. false: there is no caller; @walk->end is the reason. */
bool unwind_caller(struct unwind_walk *walk);

#endif
