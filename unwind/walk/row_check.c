#include "unwind/walk/row_check.h"

#include "unwind/rules/machine_instruction.h"

/* Longer than any instruction. */
#define INSTRUCTION_SIZE_MAX 16u

static bool decode_at(struct elf_module *module, const struct arch *arch, uint64_t offset,
		      struct machine_instruction *ret)
{
	size_t size;
	const uint8_t *code = elf_module_code(module, offset, &size);

	if (!code || !size)
		return false;
	if (size > INSTRUCTION_SIZE_MAX)
		size = INSTRUCTION_SIZE_MAX;
	/* A log of what was read has the bytes, too. */
	return elf_module_bytes(module, offset, size) && arch->decode(code, size, ret);
}

/* By how many bytes the instruction moves the stack pointer. false: not by a known number. */
static bool find_move(const struct arch *arch, const struct machine_instruction *what,
		      int64_t *move_ret)
{
	int64_t move = 0;

	if (what->clobbers >> arch->sp & 1)
		return false;
	for (size_t i = 0; i < what->n_ops; i++) {
		const struct machine_op *op = &what->ops[i];
		bool is_swapped = op->kind == OP_SWAP && op->from == arch->sp;

		if (op->kind == OP_STORE || (op->to != arch->sp && !is_swapped))
			continue;
		if (op->kind != OP_SET || op->from != arch->sp)
			return false;
		move += op->value;
	}
	*move_ret = move;
	return true;
}

static bool counts_from_sp(const struct arch *arch, const struct rule *rule)
{
	return rule->kind == RULE_CFA_REGISTER && rule->cfa_reg == arch->sp;
}

enum row_check row_check(struct elf_module *module, const struct arch *arch, uint64_t offset,
			 const struct rule *rule)
{
	const bool is_ra_on_stack = !(arch->callee_saved >> arch->ra & 1);
	const int64_t word = arch->pointer_size;
	struct machine_instruction what;
	struct rule next;
	int64_t move;

	if (!arch->decode || !is_ra_on_stack || !counts_from_sp(arch, rule) ||
	    !decode_at(module, arch, offset, &what))
		return ROW_AGREES;
	if (what.flow == FLOW_RETURN)
		return rule->cfa_offset == 1 ? ROW_AGREES : ROW_IS_DOUBTFUL;
	if (what.flow != FLOW_NEXT || !find_move(arch, &what, &move) || !move)
		return ROW_AGREES;
	elf_module_find_rule(module, arch, offset + what.size, &next);
	if (!counts_from_sp(arch, &next) ||
	    next.cfa_offset * word == rule->cfa_offset * word - move)
		return ROW_AGREES;
	return arch->has_wrong_cfi ? ROW_IS_DOUBTFUL : ROW_IS_WRONG;
}
