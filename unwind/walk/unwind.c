/* The walk: look the rule up, apply it, until an end is reached. */
#include "unwind/walk/unwind.h"

#include "unwind/guess/guess.h"
#include "unwind/walk/last_walk.h"
#include "unwind/walk/leaf_return.h"
#include "unwind/walk/runtime_frame.h"
#include "unwind/walk/walk_rule.h"
#include "unwind/walk/walk_stack.h"
#include "unwind/walk/walk_steps.h"

#define PREFETCHED 1024 /* bytes of the stack */

/* What a coroutine's stack has above its first function's return address, at most. */
#define ABOVE_OUTERMOST_MAX 64
#define STACK_PAGE_SIZE     4096u

/*
 * A return address of zero is where coroutines' stacks begin that a program makes itself, as Ruby
 * and boost do: in the last words of a page, because stacks are allocated in pages, and with all
 * registers zero that functions keep, because a new context is new memory. Processes, threads and
 * ucontext's coroutines are known by their CFI or code. Anything else that leads to zero is a wrong
 * unwind.
 */
static bool is_outermost(const struct arch *arch, const struct regs *regs)
{
	const uint64_t kept = arch->callee_saved & ~(1ull << arch->sp | 1ull << arch->ra);
	const uint64_t above = -regs->values[arch->sp] % STACK_PAGE_SIZE;

	if (regs->pc || above > ABOVE_OUTERMOST_MAX || !regs_have(regs, arch->fp))
		return false;
	for (uint64_t left = kept & regs->valid; left; left &= left - 1)
		if (regs->values[__builtin_ctzll(left)])
			return false;
	return true;
}

void unwind_begin(struct unwind_walk *walk, struct unwinder *unwinder,
		  const struct address_space *space, const struct user_stack *stack)
{
	/* It is needed first, and is rarely what is in the processor's caches. */
	__builtin_prefetch(step_slot(unwinder, space, stack->regs.pc));
	/* The copy was read long ago, in a block of many: its lines come from memory one by one. */
	for (size_t at = 0; at < stack->size && at < PREFETCHED; at += 64)
		__builtin_prefetch(stack->bytes + at);
	walk->unwinder = unwinder;
	walk->sample = stack;
	walk->space = space;
	walk->arch = stack->arch;
	walk->stack = (struct stack_copy){
		.bytes = stack->bytes,
		.start = stack->regs.values[stack->arch->sp],
		.size = stack->size,
		.is_full = stack->is_full,
		.mapping_end = stack->mapping_end,
		.is_32_bit = stack->arch->pointer_size == 4,
	};
	walk->code = stack->code;
	walk->runtime = stack->runtime;
	walk->regs = stack->regs;
	walk->is_exact = true;
	walk->is_leaf = true;
	walk->is_leafs_caller = false;
	walk->row = ROW_IS_TRUSTED;
	walk->is_above_assembly = false;
	walk->memory = stack->memory;
	walk->next_context = 0;
	walk->used_seconds = 0;
	walk->is_elsewhere = false;
	walk->frame = (struct frame){ .kind = FRAME_USER, .origin = FRAME_BY_CFI };
	walk->step = NULL;
	walk->is_usual = false;
}

/*
 * The step at the walk's pc, or before it, where @step is. A call may be its function's last
 * instruction: what follows is another's. But no call leads to a signal trampoline, which may be a
 * function's first.
 */
static const struct step *choose_step(const struct unwind_walk *walk, const struct step *step,
				      uint64_t *addr_ret)
{
	uint64_t pc = walk->regs.pc;
	bool is_at_pc = walk->is_exact;

	if (!walk->is_exact && is_signal_frame(step)) {
		step = find_step(walk->unwinder, walk->space, walk->arch, pc);
		is_at_pc = is_signal_frame(step);
		if (!is_at_pc)
			step = find_step(walk->unwinder, walk->space, walk->arch, pc - 1);
	}
	*addr_ret = pc - !is_at_pc;
	return step;
}

/* Code that its run-time system has described is known by that, if no jitdump has its bytes. */
static void use_description(struct unwind_walk *walk)
{
	const struct process_code process = process_of(walk);
	const struct runtime_place place = walk_rule_place(walk, &process);
	uint64_t offset;
	size_t size;

	if (!process_code_is_anonymous(&process, walk->addr) ||
	    process_code_before(&process, walk->addr + 1, 1, &size) ||
	    !runtime_frame_offset(&place, &walk->regs, &offset))
		return;
	walk->frame.module = walk->runtime->module;
	walk->frame.offset = offset;
}

/* Goes on from the step that find_frame() has looked up, and returns like it. */
static __attribute__((noinline)) bool find_unusual_frame(struct unwind_walk *walk,
							 const struct step *step)
{
	uint64_t addr;

	walk->step = NULL;
	step = choose_step(walk, step, &addr);
	if (step && step->is_before_special && !walk->is_exact) {
		walk->is_exact = true;
		addr = walk->regs.pc;
		step = find_step(walk->unwinder, walk->space, walk->arch, addr);
	}
	if (!step && !walk->is_leaf) {
		walk->end = UNWIND_NO_MODULE;
		return false;
	}
	/* What the processor was executing is code, whatever the mapping said once. */
	if (!walk->is_leaf && !step->is_exec) {
		walk->end = UNWIND_BAD_RETURN_ADDRESS;
		return false;
	}
	walk->addr = addr;
	walk->rule = step ? &step->rule : NULL;
	walk->frame.module = step ? step->module : 0;
	walk->frame.offset = step ? step->offset : addr;
	walk->frame.kind = FRAME_USER;
	if (walk->runtime)
		use_description(walk);
	return true;
}

/* Finds the sampled instruction's caller by its code, because CFI leads to none: @end. */
static bool guess_leafs_caller(struct unwind_walk *walk, enum unwind_end end)
{
	const struct process_code process = process_of(walk);

	walk->is_leafs_caller = false;
	walk->regs = walk->sample->regs;
	walk->is_exact = true;
	walk->step = NULL;
	walk->frame.origin = FRAME_GUESSED;
	if (guess_caller(walk->unwinder->guesser, &process, &walk->stack, &walk->regs,
			 &walk->is_exact, &walk->end))
		return true;
	if (walk->end == UNWIND_NO_UNWIND_INFO)
		walk->end = end;
	return false;
}

/* Execution goes on at @step. */
static __attribute__((noinline)) void check_row(struct unwind_walk *walk, struct step *step)
{
	if (step->row == ROW_NOT_CHECKED)
		step->row = (uint8_t)steps_find_row(walk->unwinder, walk->arch, step);
	walk->row = (enum row_check)step->row;
}

static inline __attribute__((always_inline)) bool find_frame(struct unwind_walk *walk)
{
	struct unwinder *unwinder = walk->unwinder;
	uint64_t addr = walk->regs.pc - !walk->is_exact;
	struct step *callee = walk->step, *step = callee ? callee->caller : &unwinder->no_step;

	/* The same caller as before has been checked before. */
	if (is_step_at(step, walk->space, walk->arch, addr)) {
		unwinder->stats.n_step_hits++;
	} else {
		step = find_step(unwinder, walk->space, walk->arch, addr);
		if (walk->is_leafs_caller && !walk->is_exact && walk->row != ROW_IS_TRUSTED &&
		    !leaf_may_return_to(walk, step))
			return guess_leafs_caller(walk, step ? UNWIND_BAD_RETURN_ADDRESS
							     : UNWIND_NO_MODULE) &&
			       unwind_frame(walk);
		if (walk->is_exact && step && step->row != ROW_IS_TRUSTED)
			check_row(walk, step);
		/* It may have taken its callee's place. */
		if (callee && step && step->is_usual)
			callee->caller = step;
	}
	if (!step || !step->is_usual)
		return find_unusual_frame(walk, step);
	walk->step = step;
	walk->addr = addr;
	walk->rule = &step->rule;
	walk->frame.module = step->module;
	walk->frame.offset = step->offset;
	walk->frame.kind = FRAME_USER;
	return true;
}

bool unwind_frame(struct unwind_walk *walk)
{
	return find_frame(walk);
}

/* CFI, or the code, has led to a return address of zero. Returns like unwind_caller(). */
static bool end_at_zero(struct unwind_walk *walk)
{
	if (is_outermost(walk->arch, &walk->regs)) {
		walk->end = UNWIND_ROOT;
		return false;
	}
	if (walk->is_leafs_caller)
		return guess_leafs_caller(walk, UNWIND_BAD_RETURN_ADDRESS);
	walk->end = UNWIND_BAD_RETURN_ADDRESS;
	return false;
}

/* Returns like unwind_caller(). */
static __attribute__((noinline)) bool find_unusual_caller(struct unwind_walk *walk)
{
	walk->is_usual = false;
	if (!walk->rule) {
		walk->end = UNWIND_NO_MODULE;
		return false;
	}
	/* It needs no stack, and a new thread has not touched its own yet. */
	if (walk_rule_is_root(walk)) {
		walk->end = UNWIND_ROOT;
		return false;
	}
	if (!walk->stack.size) {
		walk->end = UNWIND_NO_STACK;
		return false;
	}
	if (!walk_rule_apply(walk))
		return false;
	if (walk->memory)
		walk_stack_use_memory(walk);
	if (walk->is_exact)
		walk->stack.is_left |= walk_stack_is_left(walk);
	walk->is_leafs_caller = walk->is_leaf && walk->frame.origin == FRAME_BY_CFI;
	walk->is_leaf = false;
	return walk->regs.pc || end_at_zero(walk);
}

static inline bool find_caller(struct unwind_walk *walk)
{
	bool may_be_usual = walk->step && walk->row < ROW_IS_DOUBTFUL &&
			    !(walk->is_leaf && walk->arch->find_delivery);

	if (!may_be_usual || !walk->arch->usual_caller(walk->rule, &walk->stack, &walk->regs))
		return find_unusual_caller(walk);
	walk->frame.origin = FRAME_BY_CFI;
	walk->is_usual = true;
	walk->is_leafs_caller = walk->is_leaf;
	walk->is_above_assembly = walk->is_exact = walk->is_leaf = false;
	if (walk->memory)
		walk_stack_use_memory(walk);
	return walk->regs.pc || end_at_zero(walk);
}

bool unwind_cfa(const struct unwind_walk *walk, uint64_t *cfa_ret)
{
	return walk->rule && walk->row != ROW_IS_WRONG &&
	       rule_cfa(walk->rule, walk->arch, &walk->stack, &walk->regs, cfa_ret);
}

bool unwind_caller(struct unwind_walk *walk)
{
	return find_caller(walk);
}

/* A walk into its user's arrays. */
struct whole_walk {
	struct unwind_walk walk;
	struct frame *frames;
	uint64_t *addrs, *sps; /* or NULL */
	size_t n_frames, max_frames;
	size_t first_usual; /* of the frames that only usual ones have led to, one after the other
			     */
	size_t n_same;      /* the last of them, known from the last walk */
	struct last_walk *last; /* of the thread; NULL: not kept */
	struct unwind_result result;
};

static void begin_last(struct whole_walk *whole)
{
	const struct user_stack *stack = whole->walk.sample;
	struct unwinder *unwinder = whole->walk.unwinder;

	if (!stack->thread || !stack->arch->usual_caller || !whole->addrs || !whole->sps)
		return;
	whole->last = last_walks_find(unwinder->last_walks, stack->thread);
	last_walk_begin(whole->last, stack->arch, whole->walk.space->code_epoch,
			&whole->walk.stack);
}

/* Adds the present frame. */
static inline void add_frame(struct whole_walk *whole)
{
	const struct unwind_walk *walk = &whole->walk;
	const size_t i = whole->n_frames++;

	whole->frames[i] = walk->frame;
	if (whole->addrs)
		whole->addrs[i] = walk->addr;
	if (whole->sps)
		whole->sps[i] = walk->regs.values[walk->arch->sp];
	if (whole->last && i < LAST_WALK_FRAMES && walk->rule)
		walk->unwinder->walked[i] = *walk->rule;
	whole->result.n_guessed += walk->frame.origin == FRAME_GUESSED;
	whole->result.n_stitched += walk->frame.origin == FRAME_STITCHED;
}

/* Adds the callers of the present frame, if the last walk has met it in the same state. */
static __attribute__((noinline)) bool add_same_callers(struct whole_walk *whole)
{
	struct unwind_walk *walk = &whole->walk;
	const bool is_in_copy =
		!walk->is_elsewhere && walk->regs.values[walk->arch->sp] >= walk->stack.start;

	if (!walk->is_usual || !walk->step || !is_in_copy)
		return false;
	const size_t n = last_walk_meet(whole->last, &walk->regs, walk->addr);
	const size_t at = whole->n_frames;
	if (!n || n > whole->max_frames - at)
		return false;
	last_walk_copy(whole->last, n, whole->frames + at, whole->addrs + at, whole->sps + at);
	whole->n_same = n;
	walk->end = UNWIND_ROOT;
	return true;
}

static inline bool find_next_frame(struct whole_walk *whole)
{
	struct unwind_walk *walk = &whole->walk;

	if (whole->last && last_walk_may_meet(whole->last, walk->regs.values[walk->arch->sp]) &&
	    add_same_callers(whole))
		return false;
	if (!find_caller(walk))
		return false;
	if (!walk->is_usual)
		whole->first_usual = whole->n_frames + 1;
	return true;
}

/* For the thread's next walk. */
static void keep_last(const struct whole_walk *whole)
{
	const struct unwind_walk *walk = &whole->walk;
	const struct walked_frames walked = { .frames = whole->frames,
					      .addrs = whole->addrs,
					      .sps = whole->sps,
					      .rules = walk->unwinder->walked,
					      .n_frames = whole->n_frames,
					      .first = whole->first_usual };
	const bool is_known =
		whole->n_same || (walk->end == UNWIND_ROOT && walk->rule &&
				  walk->rule->kind == RULE_ROOT && !walk->is_elsewhere);

	if (whole->last && is_known && whole->n_frames <= LAST_WALK_FRAMES)
		last_walk_keep(whole->last, walk->arch, walk->space->code_epoch, &walk->stack,
			       &walked, whole->n_same);
}

size_t unwind_user_stack(struct unwinder *unwinder, const struct address_space *space,
			 const struct user_stack *stack, struct frame *frames, uint64_t *addrs,
			 size_t max_frames, struct unwind_result *result_ret)
{
	struct whole_walk whole;
	struct unwind_walk *walk = &whole.walk;

	whole.frames = frames;
	whole.addrs = addrs;
	whole.sps = stack->sps;
	whole.n_frames = whole.n_same = 0;
	whole.max_frames = max_frames;
	whole.first_usual = 1;
	whole.last = NULL;
	whole.result = (struct unwind_result){ .n_guessed = 0 };
	unwind_begin(&whole.walk, unwinder, space, stack);
	begin_last(&whole);
	while (find_frame(walk)) {
		if (whole.n_frames == max_frames) {
			walk->end = UNWIND_TOO_DEEP;
			break;
		}
		add_frame(&whole);
		if (!find_next_frame(&whole))
			break;
	}
	keep_last(&whole);
	whole.n_frames += whole.n_same;
	whole.result.end = walk->end;
	*result_ret = whole.result;
	unwinder->stats.n_walks++;
	unwinder->stats.n_frames += whole.n_frames;
	unwinder->stats.n_repeated += whole.n_same;
	unwinder->stats.n_guessed += whole.result.n_guessed;
	return whole.n_frames;
}
