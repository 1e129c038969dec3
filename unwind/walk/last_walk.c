#include "unwind/walk/last_walk.h"

#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"

#define THREAD_BITS 7 /* threads whose last walks are known at once */
#define WORD_SIZE   8 /* only 64-bit architectures have usual frames */

struct last_walks {
	struct last_walk slots[1u << THREAD_BITS]; /* direct-mapped */
};

struct last_walks *last_walks_create(void)
{
	return calloc(1, sizeof(struct last_walks));
}

void last_walks_destroy(struct last_walks *walks)
{
	if (!walks)
		return;
	for (size_t i = 0; i < 1u << THREAD_BITS; i++) {
		free(walks->slots[i].frames);
		free(walks->slots[i].words);
	}
	free(walks);
}

static void forget(struct last_walk *last)
{
	last->n_frames = last->n_words = 0;
}

struct last_walk *last_walks_find(struct last_walks *walks, const void *thread)
{
	struct last_walk *last = &walks->slots[hash_to_bits((uintptr_t)thread, THREAD_BITS)];

	if (last->thread != thread)
		forget(last);
	last->thread = thread;
	return last;
}

/* From the root's callees inwards. All of them are below the root's stack pointer, which is within
 * the copy. */
static size_t count_equal_words(const struct last_walk *last, const struct stack_copy *stack)
{
	size_t n = 0;

	for (; n < last->n_words; n++) {
		const uint64_t at = last->words[n].addr - stack->start;
		uint64_t value;

		if (at >= stack->size)
			break;
		memcpy(&value, stack->bytes + at, sizeof(value));
		if (value != last->words[n].value)
			break;
	}
	return n;
}

static void set_next(struct last_walk *last, size_t next)
{
	last->next = next;
	last->next_sp = next ? last->frames[next].sp : UINT64_MAX;
}

void last_walk_begin(struct last_walk *last, const struct arch *arch, uint64_t code_epoch,
		     const struct stack_copy *stack)
{
	size_t next = last->n_frames;

	if (last->code_epoch != code_epoch || last->arch != arch)
		forget(last);
	set_next(last, 0);
	if (!last->n_frames || last->frames[0].sp - stack->start > stack->size)
		return;
	const size_t n_equal = count_equal_words(last, stack);
	do
		next--;
	while (last->frames[next].n_words > n_equal);
	set_next(last, next);
}

size_t last_walk_meet(struct last_walk *last, const struct regs *regs, uint64_t addr)
{
	const struct arch *arch = last->arch;
	const uint64_t sp = regs->values[arch->sp];
	size_t next = last->next;

	while (next && last->frames[next].sp < sp)
		next--;
	set_next(last, next);
	if (!next)
		return 0;
	const struct kept_frame *frame = &last->frames[next];
	if (frame->sp != sp || frame->addr != addr || frame->live & ~(1u << arch->fp) ||
	    (frame->live && frame->fp != regs->values[arch->fp]))
		return 0;
	return next;
}

void last_walk_copy(const struct last_walk *last, size_t n, struct frame *frames, uint64_t *addrs,
		    uint64_t *sps)
{
	for (size_t i = n; i-- > 0;) {
		*frames++ = last->frames[i].frame;
		*addrs++ = last->frames[i].addr;
		*sps++ = last->frames[i].sp;
	}
}

static void keep_word(struct last_walk *last, const struct stack_copy *stack, uint64_t addr)
{
	struct kept_word *word = &last->words[last->n_words++];

	word->addr = addr;
	memcpy(&word->value, stack->bytes + (addr - stack->start), sizeof(word->value));
}

/*
 * Keeps the words that matter of the frame with @rule, whose caller is the frame that was kept
 * before it: the return address, and registers that are live there. Returns the registers that are
 * live before these were read.
 */
static inline uint32_t keep_words(struct last_walk *last, const struct stack_copy *stack,
				  const struct kept_frame *caller, uint64_t sp,
				  const struct rule *rule)
{
	const uint64_t cfa = caller->sp, n_words = (cfa - sp) / WORD_SIZE;
	const uint64_t saved = rule_saved_regs(last->arch);
	uint64_t live = caller->live;

	for (uint64_t left = live | 1ull << last->arch->ra; left; left &= left - 1) {
		const uint64_t bit = left & -left;
		const uint8_t slot = rule->slots[__builtin_popcountll(saved & (bit - 1))];

		if ((uint8_t)(slot - 1) >= n_words)
			continue;
		keep_word(last, stack, cfa - (uint64_t)slot * WORD_SIZE);
		live &= ~bit;
	}
	return (uint32_t)live;
}

/* Keeps the frame that is called by the one that was kept before it. */
static inline void keep_frame(struct last_walk *last, const struct stack_copy *stack,
			      const struct walked_frames *walked, size_t i)
{
	const struct arch *arch = last->arch;
	const struct rule *rule = &walked->rules[i];
	const struct kept_frame *caller = &last->frames[last->n_frames - 1];
	struct kept_frame *frame = &last->frames[last->n_frames++];

	frame->addr = walked->addrs[i];
	frame->sp = walked->sps[i];
	frame->frame = walked->frames[i];
	frame->fp = caller->fp;
	frame->live = keep_words(last, stack, caller, frame->sp, rule);
	frame->n_words = (uint32_t)last->n_words;
	if (rule->cfa_reg == arch->sp)
		return;
	frame->live |= 1u << rule->cfa_reg;
	if (rule->cfa_reg == arch->fp)
		frame->fp = caller->sp - (uint64_t)(rule->cfa_offset * (int64_t)WORD_SIZE);
}

static int make_room(struct last_walk *last, size_t n_frames)
{
	if (array_reserve(last->frames, last->n_frames, last->n_frames_allocated, n_frames))
		return -ENOMEM;
	return array_reserve(last->words, last->n_words, last->n_words_allocated,
			     n_frames * RULE_SLOTS);
}

/* The root, which reads nothing. */
static void keep_root(struct last_walk *last, const struct walked_frames *walked)
{
	const size_t i = walked->n_frames - 1;

	forget(last);
	last->frames[last->n_frames++] = (struct kept_frame){ .addr = walked->addrs[i],
							      .sp = walked->sps[i],
							      .frame = walked->frames[i] };
}

void last_walk_keep(struct last_walk *last, const struct arch *arch, uint64_t code_epoch,
		    const struct stack_copy *stack, const struct walked_frames *walked,
		    size_t n_same)
{
	if (walked->first >= walked->n_frames || make_room(last, walked->n_frames - walked->first))
		return;
	last->arch = arch;
	last->code_epoch = code_epoch;
	if (n_same) {
		last->n_frames = n_same + 1;
		last->n_words = last->frames[n_same].n_words;
	} else {
		keep_root(last, walked);
	}
	for (size_t i = walked->n_frames - 1; i-- > walked->first;)
		keep_frame(last, stack, walked, i);
}
