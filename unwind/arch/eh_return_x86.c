#include "unwind/arch/eh_return_x86.h"

#include <dwarf.h>

#include "unwind/rules/made_rule.h"

void x86_push_sum(struct made_rule *made, uint8_t reg, int64_t value)
{
	made_rule_op(made, (struct expression_op){ DW_OP_bregx, reg, value });
}

void x86_push_op(struct made_rule *made, uint8_t atom, int64_t value)
{
	made_rule_op(made, (struct expression_op){ .atom = atom, .value = value });
}

void x86_save_at(struct made_rule *made, unsigned reg, size_t from)
{
	made->rule.regs[reg].how = SAVED_AT;
	made->rule.regs[reg].expression = made_rule_since(made, from);
}

void x86_save_if_kept(struct made_rule *made, unsigned reg, uint8_t fp, int64_t slot,
		      int64_t landing)
{
	const size_t from = made->n_ops;
	const int64_t drop = 11;

	x86_push_sum(made, fp, landing);
	x86_push_op(made, DW_OP_deref, 0);
	x86_push_op(made, DW_OP_dup, 0);
	x86_push_sum(made, fp, slot);
	x86_push_op(made, DW_OP_eq, 0);
	x86_push_op(made, DW_OP_bra, drop);
	x86_push_op(made, DW_OP_deref, 0);
	x86_push_sum(made, fp, slot);
	x86_push_op(made, DW_OP_deref, 0);
	x86_push_op(made, DW_OP_ne, 0);
	x86_push_op(made, DW_OP_bra, drop + 1);
	x86_push_op(made, DW_OP_drop, 0);
	x86_push_sum(made, fp, slot);
	x86_save_at(made, reg, from);
}

void x86_make_leaving(struct made_rule *made, const struct eh_return_words *words, size_t at)
{
	const uint8_t base = at ? words->sp : words->counter;

	made->rule.is_landing = true;
	x86_push_sum(made, base, at > words->pop ? 0 : words->word);
	made->rule.cfa = made_rule_since(made, 0);
	for (size_t i = 0; i < words->n_saved; i++)
		made->rule.regs[words->saved[i]].how = SAVED_SAME;
	if (at > words->pop) {
		made->rule.regs[words->ip].how = SAVED_REGISTER;
		made->rule.regs[words->ip].reg = words->counter;
		return;
	}
	x86_push_sum(made, base, 0);
	x86_save_at(made, words->ip, made->n_ops - 1);
}
