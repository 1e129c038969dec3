/* Finds the chain and the segment that a stack pointer belongs to, and drops what lies below. */
#include "tests/unit/shadow_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A start function pops a few words that were there before it began; arguments of the setjmp() that
 * a handler jumps back to may lie below what it interrupted. */
#define SLACK 128

static struct shadow_segment *top_segment(struct shadow_chain *chain)
{
	return &chain->segments[chain->n_segments - 1];
}

static struct shadow_entry *top_entry(struct shadow_chain *chain)
{
	return chain->depth ? &chain->entries[chain->depth - 1] : NULL;
}

static void push_segment(struct shadow_chain *chain, uint64_t base)
{
	assert_true(chain->n_segments < sizeof(chain->segments) / sizeof(chain->segments[0]));
	chain->segments[chain->n_segments++] =
		(struct shadow_segment){ .first = chain->depth, .base = base };
}

static void push_entry(struct shadow_chain *chain, enum shadow_kind kind, uint64_t addr,
		       uint64_t slot)
{
	assert_true(chain->depth < SHADOW_DEPTH_MAX);
	chain->entries[chain->depth++] =
		(struct shadow_entry){ .kind = kind, .addr = addr, .slot = slot };
}

static void forget_landings(struct shadow_chain *chain)
{
	while (chain->n_landings && chain->landings[chain->n_landings - 1].depth > chain->depth)
		chain->n_landings--;
}

static void pop_entry(struct shadow_chain *chain)
{
	assert_true(chain->depth > 0);
	chain->depth--;
	if (chain->n_segments > 1 && chain->depth == top_segment(chain)->first)
		chain->n_segments--;
	forget_landings(chain);
}

static const struct shadow_landing *find_landing(const struct shadow_chain *chain, uint64_t pc,
						 uint64_t sp)
{
	for (size_t i = chain->n_landings; i-- > 0;)
		if (chain->landings[i].pc == pc && chain->landings[i].sp == sp)
			return &chain->landings[i];
	return NULL;
}

/* The function that goes on at @pc has had a call return there: one that longjmp() may repeat. */
static void remember_landing(struct shadow_chain *chain, uint64_t pc, uint64_t sp)
{
	const struct shadow_landing *known = find_landing(chain, pc, sp);

	if (known && known->depth == chain->depth)
		return;
	assert_true(chain->n_landings < SHADOW_LANDINGS_MAX);
	chain->landings[chain->n_landings++] = (struct shadow_landing){ pc, sp, chain->depth };
}

static struct shadow_chain *begin_chain(struct shadow_stack *shadow, uint64_t base)
{
	const size_t max_chains = sizeof(shadow->chains) / sizeof(shadow->chains[0]);

	assert_true(shadow->n_chains < max_chains);
	struct shadow_chain *chain = &shadow->chains[shadow->n_chains++];
	chain->depth = 0;
	chain->n_segments = chain->n_landings = 0;
	push_segment(chain, base);
	return chain;
}

void shadow_begin(struct shadow_stack *shadow, uint64_t sp, uint64_t word)
{
	shadow->n_chains = 0;
	shadow->word = word;
	shadow->alt_start = shadow->alt_end = 0;
	shadow->is_jumping = shadow->is_new_chain = false;
	shadow->current = begin_chain(shadow, sp);
}

void shadow_call(struct shadow_stack *shadow, uint64_t slot, uint64_t return_address)
{
	push_entry(shadow->current, SHADOW_CALLED, return_address, slot);
}

void shadow_return(struct shadow_stack *shadow, uint64_t slot, uint64_t pc)
{
	const struct shadow_entry *top = top_entry(shadow->current);

	if (!top || top->slot != slot) {
		shadow->is_jumping = true;
		return;
	}
	assert_int_equal(top->addr, pc);
	pop_entry(shadow->current);
	remember_landing(shadow->current, pc, slot + shadow->word);
}

void shadow_land(struct shadow_stack *shadow, uint64_t pc, uint64_t sp)
{
	struct shadow_chain *chain = shadow->current;
	const struct shadow_landing *landing = find_landing(chain, pc, sp);

	if (!landing)
		return;
	assert_true(landing->depth >= top_segment(chain)->first);
	chain->depth = landing->depth;
	forget_landings(chain);
}

void shadow_jump(struct shadow_stack *shadow)
{
	const struct shadow_entry *top = top_entry(shadow->current);

	if (top && top->is_elsewhere)
		pop_entry(shadow->current);
}

void shadow_push_back(struct shadow_stack *shadow, uint64_t slot, uint64_t return_address)
{
	push_entry(shadow->current, SHADOW_CALLED, return_address, slot);
}

static bool holds(const struct shadow_segment *segment, uint64_t sp)
{
	return sp >= segment->sp && sp <= segment->base + SLACK;
}

/* Drops what was called from below @sp on the present stack. */
static bool drop_below(struct shadow_chain *chain, uint64_t sp)
{
	size_t depth = chain->depth;

	while (chain->depth > top_segment(chain)->first &&
	       chain->entries[chain->depth - 1].slot < sp)
		chain->depth--;
	forget_landings(chain);
	return chain->depth != depth;
}

/* From a handler on an alternate stack into the code that it interrupted. */
static bool leave_segments(struct shadow_chain *chain, uint64_t sp)
{
	for (size_t i = chain->n_segments - 1; i-- > 0;) {
		const struct shadow_segment *segment = &chain->segments[i];

		if (sp + SLACK < segment->sp || sp > segment->base + SLACK)
			continue;
		chain->depth = chain->segments[i + 1].first;
		chain->n_segments = i + 1;
		drop_below(chain, sp);
		return true;
	}
	return false;
}

/* What a coroutine that goes on returns to first is about to be pushed. */
static bool switch_chain(struct shadow_stack *shadow, uint64_t from, uint64_t sp)
{
	for (size_t i = 0; i < shadow->n_chains; i++) {
		struct shadow_chain *chain = &shadow->chains[i];
		struct shadow_segment *segment = top_segment(chain);

		if (chain == shadow->current || !holds(segment, sp) || sp == segment->base)
			continue;
		top_segment(shadow->current)->sp = from;
		shadow->current = chain;
		drop_below(chain, sp - shadow->word);
		return true;
	}
	return false;
}

/* A stack that has been used before may begin again. */
static void start_chain(struct shadow_stack *shadow, uint64_t from, uint64_t sp, uint64_t word)
{
	struct shadow_chain *chain = NULL;

	for (size_t i = 0; i < shadow->n_chains && !chain; i++)
		if (shadow->chains[i].segments[0].base == sp)
			chain = &shadow->chains[i];
	top_segment(shadow->current)->sp = from;
	if (!chain)
		chain = begin_chain(shadow, sp);
	chain->depth = chain->n_landings = 0;
	push_entry(chain, SHADOW_STARTED, word, sp);
	shadow->current = chain;
	shadow->is_new_chain = true;
}

static bool is_return_address_popped(const struct shadow_stack *shadow, enum shadow_move how,
				     uint64_t sp)
{
	const struct shadow_entry *top = top_entry(shadow->current);

	return how == SHADOW_POPPED && top && top->slot == sp - shadow->word;
}

void shadow_move(struct shadow_stack *shadow, enum shadow_move how, uint64_t from, uint64_t to,
		 uint64_t word)
{
	struct shadow_chain *chain = shadow->current;
	struct shadow_entry *top = top_entry(chain);

	if (is_return_address_popped(shadow, how, to)) {
		top->is_elsewhere = true;
		return;
	}
	if (top && top->is_elsewhere && to == top->slot)
		top->is_elsewhere = false;
	if (to > from && to <= top_segment(chain)->base + SLACK) {
		if (!drop_below(chain, to))
			return;
	} else if (leave_segments(chain, to) || switch_chain(shadow, from, to)) {
		;
	} else if (to > from || how == SHADOW_LOADED) {
		start_chain(shadow, from, to, word);
	} else {
		return;
	}
	shadow->is_jumping = true;
}

static bool is_on_alternate_stack(const struct shadow_stack *shadow, uint64_t sp)
{
	return sp > shadow->alt_start && sp <= shadow->alt_end;
}

void shadow_signal(struct shadow_stack *shadow, uint64_t pc, uint64_t interrupted_sp, uint64_t sp,
		   uint64_t restorer)
{
	struct shadow_chain *chain = shadow->current;
	uint64_t slot = interrupted_sp - 1;

	if (is_on_alternate_stack(shadow, sp) && !is_on_alternate_stack(shadow, interrupted_sp)) {
		top_segment(chain)->sp = interrupted_sp;
		push_segment(chain, shadow->alt_end);
		slot = shadow->alt_end;
	}
	push_entry(chain, SHADOW_INTERRUPTED, pc, slot);
	push_entry(chain, SHADOW_RESTORER, restorer, sp);
}

void shadow_sigreturn(struct shadow_stack *shadow, uint64_t pc)
{
	struct shadow_chain *chain = shadow->current;

	while (top_entry(chain) && top_entry(chain)->kind != SHADOW_INTERRUPTED)
		pop_entry(chain);
	assert_non_null(top_entry(chain));
	assert_int_equal(top_entry(chain)->addr, pc);
	pop_entry(chain);
}

bool shadow_is_in_handler(const struct shadow_stack *shadow)
{
	const struct shadow_chain *chain = shadow->current;

	for (size_t i = 0; i < chain->depth; i++)
		if (chain->entries[i].kind == SHADOW_INTERRUPTED)
			return true;
	return false;
}

const struct shadow_entry *shadow_caller(const struct shadow_stack *shadow, size_t i)
{
	const struct shadow_chain *chain = shadow->current;

	return i < chain->depth ? &chain->entries[chain->depth - 1 - i] : NULL;
}

size_t shadow_depth_here(const struct shadow_stack *shadow)
{
	return shadow->current->depth - top_segment(shadow->current)->first;
}

bool shadow_is_frame(const struct shadow_entry *entry, uint64_t addr)
{
	switch (entry->kind) {
	case SHADOW_CALLED:
		return addr == entry->addr - 1;
	case SHADOW_INTERRUPTED:
	case SHADOW_STARTED:
		return addr == entry->addr;
	case SHADOW_RESTORER:
		return addr == entry->addr || addr == entry->addr - 1;
	}
	return false;
}
