#include "report/dwarf/debug_machine.h"

#include <dwarf.h>
#include <string.h>

/* The longest number. */
#define WORD 8

bool debug_machine_stop(struct debug_machine *machine, enum debug_reason reason)
{
	machine->reason = reason;
	return false;
}

static bool push_number(struct debug_machine *machine, struct debug_number number)
{
	if (machine->depth == DEBUG_STACK_MAX)
		return debug_machine_stop(machine, DEBUG_MALFORMED);
	machine->stack[machine->depth++] = number;
	return true;
}

bool debug_machine_push(struct debug_machine *machine, uint64_t value)
{
	return push_number(machine, debug_number(machine->generic, value));
}

bool debug_machine_pop(struct debug_machine *machine, struct debug_number *number_ret)
{
	if (!machine->depth)
		return debug_machine_stop(machine, DEBUG_MALFORMED);
	*number_ret = machine->stack[--machine->depth];
	return true;
}

static bool push_from_top(struct debug_machine *machine, uint64_t index)
{
	if (index >= machine->depth)
		return debug_machine_stop(machine, DEBUG_MALFORMED);
	return push_number(machine, machine->stack[machine->depth - 1 - index]);
}

/* Moves the top @n values round by one: the top goes below the others. */
static bool rotate(struct debug_machine *machine, size_t n)
{
	if (machine->depth < n)
		return debug_machine_stop(machine, DEBUG_MALFORMED);
	struct debug_number *values = machine->stack + machine->depth - n, top = values[n - 1];
	memmove(values + 1, values, (n - 1) * sizeof(*values));
	values[0] = top;
	return true;
}

static bool find_register(struct debug_machine *machine, uint64_t reg, uint64_t *value_ret)
{
	const struct debug_frame *frame = machine->frame;

	if (reg >= 64 || !(frame->known >> reg & 1))
		return debug_machine_stop(machine, DEBUG_NO_REGISTER);
	*value_ret = frame->registers[reg];
	return true;
}

bool debug_machine_push_register(struct debug_machine *machine, uint64_t reg, uint64_t offset)
{
	uint64_t value;

	return find_register(machine, reg, &value) && debug_machine_push(machine, value + offset);
}

/* The type that an operation names; 0 is the generic one. */
static bool find_type(struct debug_machine *machine, const Dwarf_Op *op, uint64_t named,
		      struct debug_number_type *type_ret)
{
	Dwarf_Die die;

	*type_ret = machine->generic;
	if (!named)
		return true;
	if (dwarf_getlocation_die(machine->attribute, op, &die) != 0)
		return debug_machine_stop(machine, DEBUG_MALFORMED);
	return debug_number_type_init(type_ret, &die) ||
	       debug_machine_stop(machine, DEBUG_NOT_SUPPORTED);
}

/* Replaces the address on top by what is there. */
static bool load(struct debug_machine *machine, uint64_t size, struct debug_number_type type)
{
	const struct debug_process *process = machine->frame->process;
	uint8_t bytes[WORD] = { 0 };
	struct debug_number addr;
	uint64_t value;

	if (size < 1 || size > WORD)
		return debug_machine_stop(machine, DEBUG_MALFORMED);
	if (!debug_machine_pop(machine, &addr))
		return false;
	if (!process->read(process->data, addr.bits, size, bytes))
		return debug_machine_stop(machine, DEBUG_NO_MEMORY);
	memcpy(&value, bytes, sizeof(value));
	return push_number(machine, debug_number(type, value));
}

static bool load_typed(struct debug_machine *machine, const Dwarf_Op *op)
{
	struct debug_number_type type;

	return find_type(machine, op, op->number2, &type) && load(machine, op->number, type);
}

/* Bits of a register as a number of a type. */
static bool push_typed_register(struct debug_machine *machine, const Dwarf_Op *op)
{
	struct debug_number_type type;
	uint64_t value;

	return find_type(machine, op, op->number2, &type) &&
	       find_register(machine, op->number, &value) &&
	       push_number(machine, debug_number(type, value));
}

static bool push_typed_constant(struct debug_machine *machine, const Dwarf_Op *op)
{
	struct debug_number_type type;
	Dwarf_Attribute constant;
	Dwarf_Block block;
	uint64_t value = 0;

	if (!find_type(machine, op, op->number, &type))
		return false;
	if (dwarf_getlocation_attr(machine->attribute, op, &constant) != 0 ||
	    dwarf_formblock(&constant, &block) != 0 || block.length != type.size)
		return debug_machine_stop(machine, DEBUG_MALFORMED);
	memcpy(&value, block.data, block.length);
	return push_number(machine, debug_number(type, value));
}

static bool convert(struct debug_machine *machine, const Dwarf_Op *op)
{
	struct debug_number_type type;
	struct debug_number number;

	if (!find_type(machine, op, op->number, &type) || !debug_machine_pop(machine, &number))
		return false;
	if (op->atom == DW_OP_convert || op->atom == DW_OP_GNU_convert) {
		if (!debug_number_convert(&number, type))
			return debug_machine_stop(machine, DEBUG_NOT_SUPPORTED);
	} else {
		number = debug_number(type, number.bits);
	}
	return push_number(machine, number);
}

/* Indexes into .debug_addr: addresses in the file and other numbers. */
static bool push_indexed(struct debug_machine *machine, const Dwarf_Op *op)
{
	bool is_address = op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index;
	Dwarf_Attribute indexed;
	Dwarf_Word value;

	if (dwarf_getlocation_attr(machine->attribute, op, &indexed) != 0 ||
	    (is_address ? dwarf_formaddr(&indexed, &value) : dwarf_formudata(&indexed, &value)) !=
		    0)
		return debug_machine_stop(machine, DEBUG_MALFORMED);
	return debug_machine_push(machine, is_address ? value + machine->frame->bias : value);
}

static bool compute(struct debug_machine *machine, const Dwarf_Op *op)
{
	struct debug_number *top, other;

	if (!machine->depth)
		return debug_machine_stop(machine, DEBUG_MALFORMED);
	top = &machine->stack[machine->depth - 1];
	if (debug_number_unary(top, op->atom, op->number))
		return true;
	if (machine->depth < 2)
		return debug_machine_stop(machine, DEBUG_NOT_SUPPORTED);
	other = machine->stack[--machine->depth];
	return debug_number_binary(top - 1, op->atom, other, machine->generic) ||
	       debug_machine_stop(machine, DEBUG_NOT_SUPPORTED);
}

static bool drop(struct debug_machine *machine)
{
	struct debug_number dropped;

	return debug_machine_pop(machine, &dropped);
}

static bool push_cfa(struct debug_machine *machine)
{
	return machine->frame->has_cfa ? debug_machine_push(machine, machine->frame->cfa)
				       : debug_machine_stop(machine, DEBUG_NO_FRAME);
}

/* Operations with types of their own. false: another one. */
static bool step_of_types(struct debug_machine *machine, const Dwarf_Op *op, bool *ok_ret)
{
	switch (op->atom) {
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		*ok_ret = push_typed_constant(machine, op);
		return true;
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		*ok_ret = push_typed_register(machine, op);
		return true;
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		*ok_ret = load_typed(machine, op);
		return true;
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		*ok_ret = convert(machine, op);
		return true;
	default:
		return false;
	}
}

/* Operations that push constants. false: another one. */
static bool step_of_constants(struct debug_machine *machine, const Dwarf_Op *op, bool *ok_ret)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		*ok_ret = debug_machine_push(machine, op->atom - DW_OP_lit0);
		return true;
	}
	switch (op->atom) {
	case DW_OP_addr:
		*ok_ret = debug_machine_push(machine, op->number + machine->frame->bias);
		return true;
	case DW_OP_addrx:
	case DW_OP_constx:
	case DW_OP_GNU_addr_index:
	case DW_OP_GNU_const_index:
		*ok_ret = push_indexed(machine, op);
		return true;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		*ok_ret = debug_machine_push(machine, op->number);
		return true;
	default:
		return false;
	}
}

bool debug_machine_step(struct debug_machine *machine, const Dwarf_Op *op)
{
	bool ok;

	if (step_of_constants(machine, op, &ok) || step_of_types(machine, op, &ok))
		return ok;
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return debug_machine_push_register(machine, op->atom - DW_OP_breg0, op->number);
	switch (op->atom) {
	case DW_OP_nop:
		return true;
	case DW_OP_GNU_uninit:
		return debug_machine_stop(machine, DEBUG_NOT_INITIALIZED);
	case DW_OP_bregx:
		return debug_machine_push_register(machine, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return push_cfa(machine);
	case DW_OP_deref:
		return load(machine, machine->generic.size, machine->generic);
	case DW_OP_deref_size:
		return load(machine, op->number, machine->generic);
	case DW_OP_dup:
		return push_from_top(machine, 0);
	case DW_OP_over:
		return push_from_top(machine, 1);
	case DW_OP_pick:
		return push_from_top(machine, op->number);
	case DW_OP_drop:
		return drop(machine);
	case DW_OP_swap:
		return rotate(machine, 2);
	case DW_OP_rot:
		return rotate(machine, 3);
	default:
		return compute(machine, op);
	}
}
