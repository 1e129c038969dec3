/* Rules come first; where a rule is missing, or may be wrong, the code is followed. */
#include "unwind/walk/walk_rule.h"

#include "unwind/cfi/cfi.h"
#include "unwind/guess/guess.h"
#include "unwind/guess/guess_anonymous.h"
#include "unwind/guess/guess_code_view.h"
#include "unwind/guess/guess_interpreter.h"
#include "unwind/walk/walk_stack.h"

struct runtime_place walk_rule_place(const struct unwind_walk *walk,
				     const struct process_code *process)
{
	return (struct runtime_place){ .process = process,
				       .stack = &walk->stack,
				       .codes = walk->runtime,
				       .source = walk->code,
				       .addr = walk->addr,
				       .is_exact = walk->is_exact };
}

/*
 * While the kernel is in sigreturn(), the pc is after the last instruction of the trampoline, where
 * the CFI has ended: nothing is ever executed there. NULL: this is not such a place.
 */
static const struct rule *sigreturn_rule(const struct unwind_walk *walk)
{
	const struct step *step =
		find_step(walk->unwinder, walk->space, walk->arch, walk->regs.pc - 1);
	bool is_trampoline =
		step && step->rule.kind == RULE_GENERAL && step->rule.general->is_signal_frame;

	return is_trampoline ? &step->rule : NULL;
}

bool walk_rule_guess(struct unwind_walk *walk)
{
	const struct process_code process = process_of(walk);

	walk->frame.origin = FRAME_GUESSED;
	return guess_caller(walk->unwinder->guesser, &process, &walk->stack, &walk->regs,
			    &walk->is_exact, &walk->end);
}

/* Whether no call lies between the frame and the sampled instruction, or one that a signal
 * interrupted. */
static bool has_all_registers(const struct unwind_walk *walk)
{
	return walk->regs.valid == (1ull << walk->arch->n_regs) - 1;
}

/* By the code that was recorded while samples were taken, or by its maker. */
static bool follow_recorded_code(struct unwind_walk *walk)
{
	struct unwinder *unwinder = walk->unwinder;
	const struct process_code process = process_of(walk);

	if (!(walk->code &&
	      guess_by_code_view(unwinder->made, unwinder->scan, &process, &walk->stack, walk->code,
				 walk->is_exact, &walk->regs)) &&
	    !guess_by_dumped_code(unwinder->made, unwinder->scan, &process, &walk->stack,
				  walk->is_exact, &walk->regs))
		return false;
	walk->is_exact = false;
	walk->frame.origin = FRAME_GUESSED;
	return true;
}

/* By what a run-time system knows of its frames. */
static bool follow_description(struct unwind_walk *walk)
{
	const struct process_code process = process_of(walk);
	const struct runtime_place place = walk_rule_place(walk, &process);

	if (!walk->runtime || !runtime_frame_caller(&place, &walk->regs))
		return false;
	walk->is_exact = false;
	walk->frame.origin = FRAME_BY_CFI;
	return true;
}

static bool follow_interpreter(struct unwind_walk *walk)
{
	const struct process_code process = process_of(walk);

	if (!guess_interpreters_caller(&process, &walk->stack, &walk->regs))
		return false;
	walk->is_exact = false;
	walk->frame.origin = FRAME_GUESSED;
	return true;
}

static bool apply_no_rule(struct unwind_walk *walk)
{
	const struct rule *rule = walk->is_leaf ? sigreturn_rule(walk) : NULL;

	if (rule) {
		walk->unwinder->stats.n_expressions++;
		walk->frame.origin = FRAME_BY_CFI;
		return rule_apply(rule, walk->arch, &walk->stack, &walk->regs, &walk->is_exact,
				  &walk->end);
	}
	walk->end = UNWIND_NO_UNWIND_INFO;
	const struct process_code process = process_of(walk);
	bool is_anonymous = process_code_is_anonymous(&process, walk->addr);
	bool is_above_assembly = walk->is_above_assembly;
	walk->is_above_assembly = !is_anonymous;
	if (follow_description(walk))
		return true;
	if (follow_recorded_code(walk))
		return true;
	if (is_anonymous && follow_interpreter(walk))
		return true;
	const bool lacks_frame = is_anonymous && is_above_assembly &&
				 guess_anonymous_lacks_frame(&process, &walk->stack, &walk->regs);
	if (!lacks_frame && walk_rule_guess(walk))
		return true;
	if (is_anonymous && process_code_is_other_file(&process, walk->addr))
		walk->end = UNWIND_OTHER_FILE;
	return false;
}

bool walk_rule_is_root(const struct unwind_walk *walk)
{
	if (walk->rule->kind != RULE_NONE || !walk->is_leaf)
		return walk->rule->kind == RULE_ROOT;
	const struct process_code process = process_of(walk);
	return guess_thread_start(&process, &walk->regs);
}

static bool apply_cfi(struct unwind_walk *walk)
{
	const struct rule *rule = walk->rule;

	walk->frame.origin = FRAME_BY_CFI;
	walk->is_above_assembly = false;
	if (!rule_apply(rule, walk->arch, &walk->stack, &walk->regs, &walk->is_exact, &walk->end))
		return false;
	if (rule->kind == RULE_GENERAL && rule->general->is_switch) {
		const struct process_code process = process_of(walk);

		walk->is_exact = !guess_follows_call(&process, walk->regs.pc);
	}
	return true;
}

static bool apply_rule(struct unwind_walk *walk)
{
	switch ((enum rule_kind)walk->rule->kind) {
	case RULE_ROOT:
		walk->end = UNWIND_ROOT;
		return false;
	case RULE_BAD:
		walk->end = UNWIND_BAD_CFI;
		return false;
	case RULE_UNREADABLE:
		walk->end = UNWIND_MODULE_UNREADABLE;
		return false;
	case RULE_OTHER_STACK:
		return walk_stack_return(walk);
	case RULE_NONE:
		return apply_no_rule(walk);
	case RULE_GENERAL:
		walk->unwinder->stats.n_expressions++;
		__attribute__((fallthrough));
	case RULE_CFA_REGISTER:
	case RULE_CFA_MEMORY:
		return apply_cfi(walk);
	}
	return false;
}

/* Where CFI may be wrong and the code can be followed: see whether CFI leads to a caller. */
static bool apply_rule_or_follow(struct unwind_walk *walk)
{
	const enum rule_kind kind = walk->rule->kind;
	const struct regs leaf = walk->regs;
	bool ok = apply_rule(walk);

	if (kind < RULE_CFA_REGISTER || (ok && walk->is_exact))
		return ok;
	const struct process_code process = process_of(walk);
	if (ok && guess_is_return_address(&process, walk->regs.pc))
		return true;
	const struct regs caller = walk->regs;
	const bool is_exact = walk->is_exact;
	walk->regs = leaf;
	const enum unwind_end end = walk->end;
	walk->is_exact = true;
	if (walk_rule_guess(walk))
		return true;
	walk->regs = caller;
	walk->is_exact = is_exact;
	walk->frame.origin = FRAME_BY_CFI;
	walk->end = end;
	return ok;
}

static bool apply_some_rule(struct unwind_walk *walk)
{
	bool can_follow = walk->arch->has_wrong_cfi && has_all_registers(walk);

	return can_follow ? apply_rule_or_follow(walk) : apply_rule(walk);
}

/* Where the row of CFI may not be the instruction's: the code tells. If it does not, a row that is
 * wrong leads to no caller. */
static bool follow_instead(struct unwind_walk *walk)
{
	const bool is_wrong = walk->row == ROW_IS_WRONG;
	const struct regs callee = walk->regs;
	const bool ok = apply_some_rule(walk);
	const struct regs by_row = walk->regs;
	const uint16_t origin = walk->frame.origin;
	const bool is_exact = walk->is_exact;
	const enum unwind_end end = walk->end;
	const uint8_t sp = walk->arch->sp;

	walk->row = ROW_AGREES;
	walk->regs = callee;
	walk->is_exact = true;
	const bool is_guessed = walk_rule_guess(walk);
	if (is_guessed &&
	    !(ok && walk->regs.pc == by_row.pc && walk->regs.values[sp] == by_row.values[sp]))
		return true;
	if (!is_guessed && is_wrong) {
		if (walk->end == UNWIND_NO_UNWIND_INFO)
			walk->end = UNWIND_BAD_CFI;
		return false;
	}
	walk->regs = by_row;
	walk->is_exact = is_exact;
	walk->frame.origin = origin;
	walk->end = end;
	return ok;
}

/* The registers are a handler's, but the link register is still that of what it interrupts. */
static bool apply_delivery(struct unwind_walk *walk)
{
	const struct arch *arch = walk->arch;
	struct rule rule = { .general_kind = RULE_GENERAL };

	if (!walk->is_leaf || !arch->find_delivery)
		return false;
	rule.general = arch->find_delivery(&walk->stack, &walk->regs);
	if (!rule.general)
		return false;
	uint64_t ra = arch->strip_return_address(walk->regs.values[arch->ra]);
	if (is_signal_frame(find_step(walk->unwinder, walk->space, arch, ra))) {
		/* That may have taken the place of this. */
		walk->rule = &find_step(walk->unwinder, walk->space, arch, walk->addr)->rule;
		return false;
	}
	walk->frame.origin = FRAME_GUESSED;
	return rule_apply(&rule, arch, &walk->stack, &walk->regs, &walk->is_exact, &walk->end);
}

bool walk_rule_apply(struct unwind_walk *walk)
{
	const bool may_be_wrong = walk->row >= ROW_IS_DOUBTFUL;

	return apply_delivery(walk) ||
	       (may_be_wrong ? follow_instead(walk) : apply_some_rule(walk));
}
