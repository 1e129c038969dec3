#include "unwind/code/code_rule.h"

#include "unwind/rules/rule.h"

static bool is_ra_on_stack(const struct arch *arch)
{
	return !(arch->callee_saved >> arch->ra & 1);
}

static uint64_t wrap(const struct arch *arch, uint64_t addr)
{
	return arch->pointer_size == 4 ? (uint32_t)addr : addr;
}

static bool evaluate(const struct place *place, const struct arch *arch,
		     const struct stack_copy *stack, const struct regs *regs, uint64_t *value_ret,
		     enum unwind_end *end_ret)
{
	*end_ret = UNWIND_NO_UNWIND_INFO;
	if (place->kind == PLACE_LOST || !regs_have(regs, place->reg))
		return false;
	uint64_t value = wrap(arch, regs->values[place->reg] + (uint64_t)(int64_t)place->offset);
	if (place->kind == PLACE_MEMORY) {
		uint64_t addr = value;

		if (!stack_read(stack, addr, &value)) {
			*end_ret = stack_missing(stack, addr);
			return false;
		}
		value = wrap(arch, value + (uint64_t)(int64_t)place->addend);
	}
	*value_ret = value;
	return true;
}

bool code_rule_sp(const struct code_rule *rule, const struct arch *arch,
		  const struct stack_copy *stack, const struct regs *regs, uint64_t *sp_ret)
{
	enum unwind_end ignored;

	return evaluate(&rule->sp, arch, stack, regs, sp_ret, &ignored);
}

/* The return address, from its word or its register. */
static bool find_return_address(const struct code_rule *rule, const struct arch *arch,
				const struct stack_copy *stack, const struct regs *regs,
				uint64_t *value_ret, enum unwind_end *end_ret)
{
	uint64_t slot;

	if (!is_ra_on_stack(arch)) {
		unsigned i = (unsigned)__builtin_popcountll(rule_saved_regs(arch) &
							    ((1ull << arch->ra) - 1));
		return evaluate(&rule->saved[i], arch, stack, regs, value_ret, end_ret);
	}
	if (!evaluate(&rule->return_slot, arch, stack, regs, &slot, end_ret))
		return false;
	*end_ret = stack_missing(stack, slot);
	return stack_read(stack, slot, value_ret);
}

bool code_rule_return_slot(const struct code_rule *rule, const struct arch *arch,
			   const struct stack_copy *stack, const struct regs *regs,
			   uint64_t *slot_ret)
{
	enum unwind_end ignored;

	return is_ra_on_stack(arch) &&
	       evaluate(&rule->return_slot, arch, stack, regs, slot_ret, &ignored);
}

bool code_rule_apply(const struct code_rule *rule, const struct arch *arch,
		     const struct stack_copy *stack, struct regs *regs, bool is_exact,
		     enum unwind_end *end_ret)
{
	struct regs caller = { .valid = 0 };
	const struct place *saved = rule->saved;
	uint64_t sp = regs->values[arch->sp], caller_sp, value;
	bool may_stay = is_exact && !is_ra_on_stack(arch);
	enum unwind_end ignored;

	bool has_sp = rule->sp.kind != PLACE_LOST || !is_ra_on_stack(arch);

	if (!find_return_address(rule, arch, stack, regs, &value, end_ret) ||
	    !(has_sp ? evaluate(&rule->sp, arch, stack, regs, &caller_sp, end_ret)
		     : code_rule_return_slot(rule, arch, stack, regs, &caller_sp)))
		return false;
	if (!has_sp)
		caller_sp += arch->pointer_size;
	if (caller_sp < sp || (caller_sp == sp && !may_stay)) {
		*end_ret = UNWIND_NO_PROGRESS;
		return false;
	}
	caller.pc = arch->strip_return_address(value);
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1, saved++)
		if (evaluate(saved, arch, stack, regs, &value, &ignored))
			regs_set(&caller, (unsigned)__builtin_ctzll(left), value);
	caller.values[arch->sp] = caller_sp;
	caller.valid |= (uint64_t)has_sp << arch->sp;
	regs_set(&caller, arch->ra, caller.pc);
	*regs = caller;
	return true;
}
