/*
 * The outer part of the last walk of each thread, to be found again by the next one.
 *
 * Two samples of a thread differ by what it called in between; the functions further out have not
 * returned. Their frames need not be walked again where that is proved, not assumed: a walk reads
 * words of the stack and looks up code, so where both are the same, its result is the same.
 *
 * Kept are the frames from the root inwards, as far as all of them are usual ones
 * (unwind/rules/usual_frame.h) within the sample's copy. The result of such a frame depends on its
 * address, its stack pointer, the register that its rule counts from, and the word with its return
 * address. A saved register matters only if the rule of a frame further out counts from it: the
 * usual analysis of live variables, from the root inwards, shows which (Aho, Lam, Sethi, Ullman:
 * Compilers, section 9.2.5). The words that matter, about one a frame, are kept with their
 * addresses and compared with those in the next copy.
 *
 * The idea to reuse the outer frames of the walk before is that of trampolines and of marked frames
 * (Froyd, Mellor-Crummey, Fowler: Low-overhead call path profiling of unmodified, optimized code,
 * ICS 2005, section 4.1); offline there is no trampoline, so the words are compared.
 *
 * Belongs to one unwinder. Memory is bounded: by the number of threads that are known at once, of
 * which a new one takes the place of another, and by the frames of each.
 */
#ifndef UNWIND_WALK_LAST_WALK_H
#define UNWIND_WALK_LAST_WALK_H

#include "cct/model/frame.h"
#include "unwind/rules/rule.h"
#include "unwind/rules/stack_copy.h"

#define LAST_WALK_FRAMES 4096 /* that are walked; deeper walks are not kept */

struct kept_frame {
	uint64_t addr; /* lookup address in the process */
	uint64_t sp;
	struct frame frame;
	uint64_t fp;      /* the frame pointer, where it is live */
	uint32_t n_words; /* that matter to the frames from the root to this one */
	uint32_t live;    /* registers that matter, a bit per DWARF number; without the pc's */
};

struct kept_word {
	uint64_t addr, value;
};

/* All zero: none. */
struct last_walk {
	const void *thread;
	const struct arch *arch;
	uint64_t code_epoch;
	struct kept_frame *frames; /* root first; the root, [0], calls no other frame */
	size_t n_frames, n_frames_allocated;
	struct kept_word *words; /* of the root's callees first */
	size_t n_words, n_words_allocated;
	/* Of the walk that goes on now: the innermost kept frame that it may still meet, and its
	 * stack pointer. 0, UINT64_MAX: none. */
	size_t next;
	uint64_t next_sp;
};

/* The frames of a walk, leaf first; @rules: that led from each to its caller. */
struct walked_frames {
	const struct frame *frames;
	const uint64_t *addrs, *sps;
	const struct rule *rules;
	size_t n_frames;
	size_t first; /* it and all further out, but for the root, are usual frames, which usual
			 frames have led to */
};

struct last_walks;

/* NULL: out of memory. */
struct last_walks *last_walks_create(void);
void last_walks_destroy(struct last_walks *walks);
/* The place for @thread's last walk, which is empty where it is not known. */
struct last_walk *last_walks_find(struct last_walks *walks, const void *thread);

/* A walk of the thread begins: compares what matters of the last one with @stack. */
void last_walk_begin(struct last_walk *last, const struct arch *arch, uint64_t code_epoch,
		     const struct stack_copy *stack);
/*
 * Whether a usual frame of the walk that has begun, which a usual frame has led to, was met by the
 * last walk in the same state. Returns the number of its callers, out to the root, which are the
 * same; 0: not. Call this for the frames in the order of the walk.
 */
size_t last_walk_meet(struct last_walk *last, const struct regs *regs, uint64_t addr);
/* The frames of those callers, leaf first: last_walk_meet() returned @n. */
void last_walk_copy(const struct last_walk *last, size_t n, struct frame *frames, uint64_t *addrs,
		    uint64_t *sps);
/*
 * Keeps a walk that has reached a root. @n_same: as last_walk_meet() returned it in this walk: the
 * last frame of @walked is the one that was met; 0: it is the root. Where memory is exhausted,
 * fewer frames are kept.
 */
void last_walk_keep(struct last_walk *last, const struct arch *arch, uint64_t code_epoch,
		    const struct stack_copy *stack, const struct walked_frames *walked,
		    size_t n_same);

/* Whether last_walk_meet() may find the frame with this stack pointer. */
static inline bool last_walk_may_meet(const struct last_walk *last, uint64_t sp)
{
	return sp >= last->next_sp;
}

#endif
