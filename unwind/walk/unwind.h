/*
 * Walks user stacks offline, from one sample's registers and stack bytes, with DWARF CFI.
 *
 * Algorithm: DWARF 5, section 6.4; x86-64 psABI 3.7 and LSB Core 10.6 for .eh_frame. A row of CFI
 * becomes a compact rule once (unwind/rules/rule.h) and is found again by (code epoch, address),
 * then by (module, offset). An unwinder belongs to one thread; elf_modules is shared.
 */
#ifndef UNWIND_WALK_UNWIND_H
#define UNWIND_WALK_UNWIND_H

#include "unwind/walk/unwind_walk.h"
#include "unwind/walk/unwinder.h"

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
