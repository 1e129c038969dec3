/* Applies rules to registers and stack bytes. */
#include "unwind/rules/rule.h"

static bool has_link_register(const struct arch *arch)
{
	return arch->callee_saved >> arch->ra & 1;
}

/*
 * The stack pointer moves up by at least a return address where that lies on the stack. A leaf may
 * keep it in a register (a link register; x86-64's vfork() pops it into one) and leave the
 * stack alone.
 */
static bool is_progress(uint64_t sp, uint64_t caller_sp, bool is_leaf_with_register)
{
	return caller_sp > sp || (caller_sp == sp && is_leaf_with_register);
}

/*
 * A compiler's CFI may still name a slot after the epilogue has popped it. Nothing below the stack
 * pointer is copied, or can be trusted; and a slot that gcc names relative to a popped frame
 * pointer (functions that realign the stack) is somewhere outside the frame. The register itself
 * has the value by then.
 */
static bool is_popped(const struct arch *arch, unsigned reg, uint64_t addr, uint64_t sp,
		      uint64_t cfa)
{
	return (addr < sp || addr >= cfa) && (arch->callee_saved >> reg & 1);
}

/* Most frames of a walk have compact rules, so each size of words gets its own code. */
static inline __attribute__((always_inline)) bool
compact_cfa(const struct rule *rule, const struct stack_copy *stack, const struct regs *regs,
	    unsigned word, uint64_t *cfa_ret, enum unwind_end *end_ret)
{
	if (!regs_have(regs, rule->cfa_reg)) {
		*end_ret = UNWIND_BAD_CFI;
		return false;
	}
	uint64_t value = regs->values[rule->cfa_reg] + (uint64_t)(rule->cfa_offset * (int64_t)word);
	if (word == 4)
		value = (uint32_t)value;
	if (rule->kind == RULE_CFA_MEMORY) {
		uint64_t addr = value;

		if (!stack_read_word(stack, addr, word, &value)) {
			*end_ret = stack_missing(stack, addr);
			return false;
		}
		value += (uint64_t)(rule->cfa_addend * (int64_t)word);
		if (word == 4)
			value = (uint32_t)value;
	}
	*cfa_ret = value;
	return true;
}

static inline __attribute__((always_inline)) bool
apply_compact(const struct rule *rule, const struct arch *arch, const struct stack_copy *stack,
	      struct regs *regs, unsigned word, bool is_exact, enum unwind_end *end_ret)
{
	uint64_t sp = regs->values[arch->sp], cfa;

	if (!compact_cfa(rule, stack, regs, word, &cfa, end_ret))
		return false;
	if (!is_progress(sp, cfa, is_exact && has_link_register(arch))) {
		*end_ret = UNWIND_NO_PROGRESS;
		return false;
	}
	uint64_t saved = rule_saved_regs(arch), lost = 0;
	const uint8_t *slot = rule->slots;
	for (uint64_t left = saved; left; left &= left - 1, slot++) {
		unsigned reg = (unsigned)__builtin_ctzll(left);
		uint64_t addr = cfa - (uint64_t)*slot * word;

		if (*slot == SLOT_SAME ||
		    (is_popped(arch, reg, addr, sp, cfa) && *slot != SLOT_UNDEFINED))
			continue;
		if (*slot != SLOT_UNDEFINED &&
		    stack_read_word(stack, addr, word, &regs->values[reg]))
			regs->valid |= 1ull << reg;
		else if (reg != arch->ra)
			lost |= 1ull << reg;
		else {
			*end_ret = stack_missing(stack, addr);
			return false;
		}
	}
	regs->valid &= saved & ~lost;
	if (!regs_have(regs, arch->ra)) {
		*end_ret = UNWIND_BAD_CFI;
		return false;
	}
	regs_set(regs, arch->sp, cfa);
	return true;
}

/* What a rule is applied to. */
struct callee {
	const struct arch *arch;
	const struct stack_copy *stack;
	const struct regs *regs;
	uint64_t cfa;
};

/* One register of the caller. false: @end_ret says why it is not known. */
static bool general_reg(const struct general_rule *rule, const struct callee *callee, unsigned reg,
			uint64_t *value_ret, enum unwind_end *end_ret)
{
	const struct regs *regs = callee->regs;
	unsigned from = rule->regs[reg].how == SAVED_REGISTER ? rule->regs[reg].reg : reg;
	uint64_t value;

	*end_ret = UNWIND_BAD_CFI;
	switch (rule->regs[reg].how) {
	case SAVED_UNDEFINED:
		return false;
	case SAVED_AT:
	case SAVED_VALUE:
		if (!expression_evaluate(&rule->regs[reg].expression, regs, callee->cfa,
					 callee->stack, &value, end_ret))
			return false;
		if (rule->regs[reg].how == SAVED_VALUE) {
			*value_ret = value;
			return true;
		}
		if (rule->is_signal_frame ||
		    !is_popped(callee->arch, reg, value, regs->values[callee->arch->sp],
			       callee->cfa)) {
			*end_ret = stack_missing(callee->stack, value);
			return stack_read(callee->stack, value, value_ret);
		}
		break;
	case SAVED_SAME:
	case SAVED_REGISTER:
		break;
	}
	if (!regs_have(regs, from))
		return false;
	*value_ret = regs->values[from];
	return true;
}

static bool apply_general(const struct general_rule *rule, const struct arch *arch,
			  const struct stack_copy *stack, struct regs *regs, bool is_exact,
			  enum unwind_end *end_ret)
{
	struct regs caller = { .valid = 0 };
	uint64_t cfa;

	if (!expression_evaluate(&rule->cfa, regs, 0, stack, &cfa, end_ret))
		return false;
	const struct callee callee = { arch, stack, regs, cfa };
	for (unsigned reg = 0; reg < arch->n_regs; reg++) {
		enum unwind_end end;
		uint64_t value;

		if (general_reg(rule, &callee, reg, &value, &end)) {
			regs_set(&caller, reg, value);
		} else if (reg == arch->ra) {
			*end_ret = end;
			return false;
		}
	}
	if (!regs_have(&caller, arch->sp))
		regs_set(&caller, arch->sp, cfa);
	/* A handler may run on an alternate stack, anywhere. */
	bool is_ra_in_register =
		rule->regs[arch->ra].how == SAVED_REGISTER || has_link_register(arch);
	if (!rule->is_signal_frame && !is_progress(regs->values[arch->sp], caller.values[arch->sp],
						   is_exact && is_ra_in_register)) {
		*end_ret = UNWIND_NO_PROGRESS;
		return false;
	}
	*regs = caller;
	return true;
}

bool rule_apply(const struct rule *rule, const struct arch *arch, const struct stack_copy *stack,
		struct regs *regs, bool *is_exact, enum unwind_end *end_ret)
{
	bool is_general = rule->kind == RULE_GENERAL, ok;

	/* A call has put its own return address there: what was in it before is saved, or lost. */
	if (!*is_exact && has_link_register(arch))
		regs->valid &= ~(1ull << arch->ra);
	if (is_general)
		ok = apply_general(rule->general, arch, stack, regs, *is_exact, end_ret);
	else if (stack->is_32_bit)
		ok = apply_compact(rule, arch, stack, regs, 4, *is_exact, end_ret);
	else
		ok = apply_compact(rule, arch, stack, regs, 8, *is_exact, end_ret);
	if (!ok)
		return false;

	*is_exact = is_general && (rule->general->is_signal_frame || rule->general->is_landing);
	/* What was interrupted may need its link register yet. */
	if (*is_exact && regs_have(regs, arch->pc)) {
		regs->pc = regs->values[arch->pc];
		return true;
	}
	regs->pc = arch->strip_return_address(regs->values[arch->ra]);
	regs->values[arch->ra] = regs->pc;
	return true;
}

bool rule_cfa(const struct rule *rule, const struct arch *arch, const struct stack_copy *stack,
	      const struct regs *regs, uint64_t *cfa_ret)
{
	enum unwind_end end;

	if (rule->kind == RULE_GENERAL)
		return expression_evaluate(&rule->general->cfa, regs, 0, stack, cfa_ret, &end);
	return (rule->kind == RULE_CFA_REGISTER || rule->kind == RULE_CFA_MEMORY) &&
	       compact_cfa(rule, stack, regs, arch->pointer_size, cfa_ret, &end);
}

enum saved_where rule_find_saved(const struct rule *rule, const struct arch *arch,
				 const struct regs *regs, uint64_t cfa, unsigned reg,
				 uint64_t *addr_ret)
{
	const uint64_t before = rule_saved_regs(arch) & ((1ull << reg) - 1);

	if (rule->kind != RULE_CFA_REGISTER && rule->kind != RULE_CFA_MEMORY)
		return SAVED_NOT_KNOWN;
	const uint8_t slot = rule->slots[__builtin_popcountll(before)];
	if (slot == SLOT_UNDEFINED)
		return SAVED_NOT_KNOWN;
	*addr_ret = cfa - (uint64_t)slot * arch->pointer_size;
	return slot == SLOT_SAME || is_popped(arch, reg, *addr_ret, regs->values[arch->sp], cfa)
		       ? SAVED_IN_PLACE
		       : SAVED_IN_MEMORY;
}
