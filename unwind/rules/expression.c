/* The stack machine. Expressions come from files: depth, steps and operands are bounded. */
#include "unwind/rules/expression.h"

#include <dwarf.h>

#include "cct/object/dwarf_arithmetic.h"

#define DEPTH_MAX 64
#define STEPS_MAX 1000

struct stack_machine {
	uint64_t values[DEPTH_MAX]; /* 32-bit ones with their sign extended */
	size_t depth;
	const struct regs *regs;
	const struct stack_copy *stack;
	uint64_t cfa;
	enum unwind_end end; /* why it stopped, if not for bad CFI */
};

static bool push(struct stack_machine *machine, uint64_t value)
{
	if (machine->depth == DEPTH_MAX)
		return false;
	machine->values[machine->depth++] = value;
	return true;
}

static bool push_from_top(struct stack_machine *machine, uint64_t index)
{
	return index < machine->depth && push(machine, machine->values[machine->depth - 1 - index]);
}

/* Reads @size bytes, which lie in one word that does not leave the copy. */
static bool deref(struct stack_machine *machine, uint64_t size)
{
	const unsigned word = stack_word_size(machine->stack);
	uint64_t value;

	if (!machine->depth || size < 1 || size > word)
		return false;
	uint64_t addr = stack_address(machine->stack, machine->values[machine->depth - 1]);
	/* The last bytes of the copy can't be read as the first of a word. */
	if (stack_read(machine->stack, addr, &value)) {
		if (size < word)
			value &= (1ull << size * 8) - 1;
	} else if (size < word && stack_read(machine->stack, addr + size - word, &value)) {
		value >>= (word - size) * 8;
	} else {
		machine->end = stack_missing(machine->stack, addr);
		return false;
	}
	machine->values[machine->depth - 1] = value;
	return true;
}

static bool unary(struct stack_machine *machine, const struct expression_op *op)
{
	if (!machine->depth)
		return false;
	if (op->atom == DW_OP_drop) {
		machine->depth--;
		return true;
	}
	return dwarf_compute_unary(op->atom, (uint64_t)op->value,
				   &machine->values[machine->depth - 1]);
}

static bool binary(struct stack_machine *machine, uint8_t atom)
{
	if (machine->depth < 2)
		return false;
	uint64_t b = machine->values[--machine->depth];
	uint64_t *top = &machine->values[machine->depth - 1];

	return dwarf_compute_binary(atom, machine->stack->is_32_bit, *top, b, top);
}

/* Moves the top @n values round by one: the top goes below the others. */
static bool rotate(struct stack_machine *machine, size_t n)
{
	if (machine->depth < n)
		return false;
	uint64_t *values = machine->values + machine->depth - n;
	uint64_t top = values[n - 1];
	memmove(values + 1, values, (n - 1) * sizeof(*values));
	values[0] = top;
	return true;
}

/* Each operation writes at most the top value. */
static void keep_width(struct stack_machine *machine)
{
	if (machine->stack->is_32_bit && machine->depth) {
		uint64_t *top = &machine->values[machine->depth - 1];
		*top = (uint64_t)(int32_t)*top;
	}
}

static bool step(struct stack_machine *machine, const struct expression_op *op)
{
	switch (op->atom) {
	case DW_OP_nop:
		return true;
	case DW_OP_const8s:
		return push(machine, (uint64_t)op->value);
	case DW_OP_bregx:
		return regs_have(machine->regs, op->reg) &&
		       push(machine, machine->regs->values[op->reg] + (uint64_t)op->value);
	case DW_OP_call_frame_cfa:
		return push(machine, machine->cfa);
	case DW_OP_deref:
		return deref(machine, stack_word_size(machine->stack));
	case DW_OP_deref_size:
		return deref(machine, (uint64_t)op->value);
	case DW_OP_dup:
		return push_from_top(machine, 0);
	case DW_OP_over:
		return push_from_top(machine, 1);
	case DW_OP_pick:
		return push_from_top(machine, (uint64_t)op->value);
	case DW_OP_swap:
		return rotate(machine, 2);
	case DW_OP_rot:
		return rotate(machine, 3);
	default:
		return unary(machine, op) || binary(machine, op->atom);
	}
}

/* Whether the branch is taken; a conditional one takes its condition from the stack. */
static bool take_branch(struct stack_machine *machine, uint8_t atom, bool *ok)
{
	if (atom == DW_OP_skip)
		return true;
	*ok = machine->depth > 0;
	return *ok && machine->values[--machine->depth] != 0;
}

bool expression_evaluate(const struct expression *expression, const struct regs *regs, uint64_t cfa,
			 const struct stack_copy *stack, uint64_t *value_ret,
			 enum unwind_end *end_ret)
{
	struct stack_machine machine = {
		.regs = regs, .stack = stack, .cfa = cfa, .end = UNWIND_BAD_CFI
	};
	bool ok = true;
	size_t i = 0;

	for (unsigned n_steps = 0; ok && i < expression->n_ops; n_steps++) {
		const struct expression_op *op = &expression->ops[i++];

		if (n_steps == STEPS_MAX)
			ok = false;
		else if (op->atom != DW_OP_bra && op->atom != DW_OP_skip)
			ok = step(&machine, op);
		else if (take_branch(&machine, op->atom, &ok))
			i = (size_t)op->value;
		keep_width(&machine);
	}
	if (!ok || !machine.depth) {
		*end_ret = machine.end;
		return false;
	}
	*value_ret = stack_address(stack, machine.values[machine.depth - 1]);
	return true;
}
