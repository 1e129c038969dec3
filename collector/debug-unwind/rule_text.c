/* Rules in the words of DWARF. */
#include "collector/debug-unwind/rule_text.h"

#include <dwarf.h>
#include <inttypes.h>

const char *reg_text(const struct arch *arch, unsigned reg)
{
	static char number[16];

	if (arch->reg_names && reg < arch->n_regs)
		return arch->reg_names[reg];
	snprintf(number, sizeof(number), "r%u", reg);
	return number;
}

/* " + 8", " - 8", or nothing. */
static void print_sum(FILE *out, int64_t value)
{
	if (value)
		fprintf(out, " %c %" PRIu64, value < 0 ? '-' : '+',
			value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static const char *atom_text(uint8_t atom)
{
	switch (atom) {
#define NAME(name)         \
	case DW_OP_##name: \
		return #name
		NAME(nop);
		NAME(call_frame_cfa);
		NAME(deref);
		NAME(dup);
		NAME(over);
		NAME(swap);
		NAME(rot);
		NAME(drop);
		NAME(neg);
		NAME(not );
		NAME(abs);
		NAME(and);
		NAME(or);
		NAME(xor);
		NAME(plus);
		NAME(minus);
		NAME(mul);
		NAME(div);
		NAME(mod);
		NAME(shl);
		NAME(shr);
		NAME(shra);
		NAME(eq);
		NAME(ne);
		NAME(ge);
		NAME(gt);
		NAME(le);
		NAME(lt);
		NAME(bra);
		NAME(skip);
		NAME(pick);
		NAME(deref_size);
		NAME(plus_uconst);
#undef NAME
	default:
		return NULL;
	}
}

static void print_op(FILE *out, const struct expression_op *op, const struct arch *arch)
{
	const char *name = atom_text(op->atom);

	switch (op->atom) {
	case DW_OP_bregx:
		fprintf(out, "breg %s%+" PRId64, reg_text(arch, op->reg), op->value);
		break;
	case DW_OP_const8s:
		fprintf(out, "const %" PRId64, op->value);
		break;
	case DW_OP_bra:
	case DW_OP_skip:
		fprintf(out, "%s to operation %" PRId64, name, op->value);
		break;
	case DW_OP_pick:
	case DW_OP_deref_size:
	case DW_OP_plus_uconst:
		fprintf(out, "%s %" PRIu64, name, (uint64_t)op->value);
		break;
	default:
		if (name)
			fputs(name, out);
		else
			fprintf(out, "operation 0x%x", op->atom);
	}
}

/* "CFA-8", "rbp - 8", "*(rbp - 8)": the forms that compilers use read better as sums. */
static bool print_sum_expression(FILE *out, const struct expression_op *ops, size_t n_ops,
				 const struct arch *arch)
{
	bool is_deref = n_ops == 2 && ops[0].atom == DW_OP_bregx && ops[1].atom == DW_OP_deref;

	if (ops[0].atom == DW_OP_call_frame_cfa &&
	    (n_ops == 1 || (n_ops == 2 && ops[1].atom == DW_OP_plus_uconst))) {
		fputs("CFA", out);
		if (n_ops == 2)
			fprintf(out, "%+" PRId64, ops[1].value);
		return true;
	}
	if (ops[0].atom != DW_OP_bregx || (n_ops > 1 && !is_deref))
		return false;
	fputs(is_deref ? "*(" : "", out);
	fputs(reg_text(arch, ops[0].reg), out);
	print_sum(out, ops[0].value);
	fputs(is_deref ? ")" : "", out);
	return true;
}

static void print_expression(FILE *out, const struct expression *expression,
			     const struct arch *arch)
{
	const struct expression_op *ops = expression->ops;
	size_t n_ops = expression->n_ops;
	/* What a register's expression begins with, and mostly does not use. */
	bool is_on_cfa = n_ops > 1 && ops[0].atom == DW_OP_call_frame_cfa;

	if (n_ops && (print_sum_expression(out, ops, n_ops, arch) ||
		      (is_on_cfa && print_sum_expression(out, ops + 1, n_ops - 1, arch))))
		return;
	fputc('{', out);
	for (size_t i = 0; i < n_ops; i++) {
		fputs(i ? ", " : "", out);
		print_op(out, &ops[i], arch);
	}
	fputc('}', out);
}

static void print_compact(FILE *out, const struct rule *rule, const struct arch *arch)
{
	const uint8_t *slot = rule->slots;

	fprintf(out, rule->kind == RULE_CFA_MEMORY ? "CFA = *(%s" : "CFA = %s",
		reg_text(arch, rule->cfa_reg));
	print_sum(out, (int64_t)rule->cfa_offset * arch->pointer_size);
	if (rule->kind == RULE_CFA_MEMORY) {
		fputc(')', out);
		print_sum(out, (int64_t)rule->cfa_addend * arch->pointer_size);
	}
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1, slot++) {
		const char *name = reg_text(arch, (unsigned)__builtin_ctzll(left));

		if (*slot == SLOT_UNDEFINED)
			fprintf(out, "; %s lost", name);
		else if (*slot != SLOT_SAME)
			fprintf(out, "; %s at CFA-%d", name, *slot * arch->pointer_size);
	}
}

static void print_general(FILE *out, const struct general_rule *rule, const struct arch *arch)
{
	fputs(rule->is_signal_frame ? "signal frame; CFA = " : "CFA = ", out);
	print_expression(out, &rule->cfa, arch);
	for (unsigned reg = 0; reg < arch->n_regs; reg++) {
		bool is_callee_saved = arch->callee_saved >> reg & 1;

		switch (rule->regs[reg].how) {
		case SAVED_UNDEFINED:
			if (is_callee_saved)
				fprintf(out, "; %s lost", reg_text(arch, reg));
			break;
		case SAVED_SAME:
			if (!is_callee_saved)
				fprintf(out, "; %s unchanged", reg_text(arch, reg));
			break;
		case SAVED_REGISTER:
			fprintf(out, "; %s in ", reg_text(arch, reg));
			fputs(reg_text(arch, rule->regs[reg].reg), out);
			break;
		case SAVED_AT:
		case SAVED_VALUE:
			fprintf(out, "; %s %s ", reg_text(arch, reg),
				rule->regs[reg].how == SAVED_AT ? "at" : "=");
			print_expression(out, &rule->regs[reg].expression, arch);
			break;
		}
	}
}

void rule_print(FILE *out, const struct rule *rule, const struct arch *arch)
{
	switch ((enum rule_kind)rule->kind) {
	case RULE_CFA_REGISTER:
	case RULE_CFA_MEMORY:
		print_compact(out, rule, arch);
		break;
	case RULE_GENERAL:
		print_general(out, rule->general, arch);
		break;
	default:
		fputs(rule_kind_text(rule), out);
	}
}

const char *rule_kind_text(const struct rule *rule)
{
	switch ((enum rule_kind)rule->kind) {
	case RULE_NONE:
		return "none";
	case RULE_BAD:
		return "unreadable";
	case RULE_UNREADABLE:
		return "no file to read";
	case RULE_ROOT:
		return "outermost frame: no return address";
	case RULE_CFA_REGISTER:
		return "register";
	case RULE_CFA_MEMORY:
		return "memory";
	case RULE_GENERAL:
		return rule->general->is_signal_frame ? "signal frame" : "expression";
	case RULE_OTHER_STACK:
		return "its caller is on another stack";
	}
	return "unknown";
}
