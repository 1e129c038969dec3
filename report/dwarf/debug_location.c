#include "report/dwarf/debug_location.h"

#include <dwarf.h>
#include <string.h>

#include "report/dwarf/debug_call_sites.h"
#include "report/dwarf/debug_machine.h"
#include "report/dwarf/debug_uninitialized.h"

/* Operations of an expression together with those that it leads to, and how deeply these nest: of a
 * recursive function, what it was called with may lead to the next activation's, and so on. */
#define STEPS_MAX   1000
#define NESTING_MAX 128

/* What all expressions of one evaluation may use up. */
struct limits {
	unsigned n_steps, nesting;
};

/* What the operations so far describe: an address on the stack, if nothing else. */
struct evaluation {
	struct debug_machine machine;
	struct limits *limits;
	struct debug_piece described; /* unless it is DEBUG_IN_MEMORY */
	struct debug_location *location;
};

static enum debug_reason evaluate(struct debug_location *location, Dwarf_Attribute *attribute,
				  const struct debug_frame *frame, struct limits *limits);

/* Evaluates an expression of a frame to one number. */
static enum debug_reason evaluate_number(Dwarf_Attribute *attribute,
					 const struct debug_frame *frame, struct limits *limits,
					 uint64_t *value_ret)
{
	struct debug_location location;
	enum debug_reason reason = evaluate(&location, attribute, frame, limits);
	const struct debug_piece *piece = &location.pieces[0];

	if (reason)
		return reason;
	if (location.n_pieces != 1 || piece->n_bits)
		return DEBUG_NOT_SUPPORTED;
	switch (piece->kind) {
	case DEBUG_IN_MEMORY:
	case DEBUG_IS_VALUE:
		*value_ret = piece->value;
		return DEBUG_KNOWN;
	case DEBUG_IN_REGISTER:
		if (piece->value >= 64 || !(frame->known >> piece->value & 1))
			return DEBUG_NO_REGISTER;
		*value_ret = frame->registers[piece->value];
		return DEBUG_KNOWN;
	case DEBUG_IS_BYTES:
		break;
	case DEBUG_IS_MISSING:
		return piece->reason;
	}
	return DEBUG_NOT_SUPPORTED;
}

static bool push_frame_base(struct evaluation *evaluation, uint64_t offset)
{
	const struct debug_frame *frame = evaluation->machine.frame;
	Dwarf_Attribute base;
	uint64_t value = 0;

	if (!frame->function || !dwarf_attr_integrate(frame->function, DW_AT_frame_base, &base))
		return debug_machine_stop(&evaluation->machine, DEBUG_MALFORMED);
	enum debug_reason reason = evaluate_number(&base, frame, evaluation->limits, &value);
	return reason ? debug_machine_stop(&evaluation->machine, reason)
		      : debug_machine_push(&evaluation->machine, value + offset);
}

/* Where a function begins, which is the first of its parts if it has several. */
static bool find_entry(Dwarf_Die *function, Dwarf_Addr *entry_ret)
{
	Dwarf_Addr base, end;

	return dwarf_entrypc(function, entry_ret) == 0 ||
	       dwarf_ranges(function, 0, &base, entry_ret, &end) > 0;
}

/* The call that has led to the frame, if it is known that its parameters are those of the frame. */
static enum debug_reason find_call(const struct debug_frame *frame,
				   const struct debug_frame **caller_ret, Dwarf_Die *site_ret,
				   struct limits *limits)
{
	const struct debug_process *process = frame->process;
	const struct debug_frame *caller = process->find_caller(process->data, frame);
	Dwarf_Attribute target;
	Dwarf_Addr entry = 0;
	uint64_t addr = 0;

	if (!caller || !caller->function || !caller->call_sites || !frame->function ||
	    !frame->call_sites ||
	    !debug_call_sites_find(caller->call_sites, caller->function, caller->next_vaddr,
				   site_ret) ||
	    debug_call_sites_may_recur(frame->call_sites, frame->function))
		return DEBUG_NO_ENTRY_VALUE;
	*caller_ret = caller;
	switch (debug_call_site_called(site_ret, frame->function, &target)) {
	case DEBUG_CALLS_IT:
		return DEBUG_KNOWN;
	case DEBUG_CALLS_POINTER:
		return evaluate_number(&target, caller, limits, &addr) == DEBUG_KNOWN &&
				       find_entry(frame->function, &entry) &&
				       addr == entry + frame->bias
			       ? DEBUG_KNOWN
			       : DEBUG_NO_ENTRY_VALUE;
	case DEBUG_CALLS_ANOTHER:
	case DEBUG_CALLS_UNKNOWN:
		break;
	}
	return DEBUG_NO_ENTRY_VALUE;
}

/* The value that a parameter had when the frame's function was called. */
static bool push_passed(struct evaluation *evaluation, const struct debug_passed *passed)
{
	const struct debug_frame *caller;
	Dwarf_Attribute expression;
	Dwarf_Die site;
	uint64_t value = 0;
	enum debug_reason reason =
		find_call(evaluation->machine.frame, &caller, &site, evaluation->limits);

	if (reason)
		return debug_machine_stop(&evaluation->machine, reason);
	if (!debug_call_site_value(&site, passed, &expression))
		return debug_machine_stop(&evaluation->machine, DEBUG_NO_ENTRY_VALUE);
	reason = evaluate_number(&expression, caller, evaluation->limits, &value);
	return reason ? debug_machine_stop(&evaluation->machine, reason)
		      : debug_machine_push(&evaluation->machine, value);
}

/* Of entry values only registers': compilers write no others. */
static bool push_entry_value(struct evaluation *evaluation, const Dwarf_Op *op)
{
	struct debug_passed passed = { .parameter = NULL };
	Dwarf_Attribute nested;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation_attr(evaluation->machine.attribute, op, &nested) != 0 ||
	    dwarf_getlocation(&nested, &ops, &n) != 0 || n != 1)
		return debug_machine_stop(&evaluation->machine, DEBUG_NOT_SUPPORTED);
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		passed.reg = ops[0].atom - DW_OP_reg0;
	else if (ops[0].atom == DW_OP_regx && ops[0].number < 64)
		passed.reg = (unsigned)ops[0].number;
	else
		return debug_machine_stop(&evaluation->machine, DEBUG_NOT_SUPPORTED);
	return push_passed(evaluation, &passed);
}

static bool push_parameter(struct evaluation *evaluation, const Dwarf_Op *op)
{
	Dwarf_Die parameter;

	if (dwarf_getlocation_die(evaluation->machine.attribute, op, &parameter) != 0)
		return debug_machine_stop(&evaluation->machine, DEBUG_MALFORMED);
	return push_passed(evaluation, &(struct debug_passed){ .parameter = &parameter });
}

static bool describe(struct evaluation *evaluation, struct debug_piece piece)
{
	if (evaluation->described.kind != DEBUG_IN_MEMORY)
		return debug_machine_stop(&evaluation->machine, DEBUG_MALFORMED);
	evaluation->described = piece;
	return true;
}

static bool describe_bytes(struct evaluation *evaluation, const Dwarf_Op *op)
{
	Dwarf_Block block;

	if (dwarf_getlocation_implicit_value(evaluation->machine.attribute, op, &block) != 0)
		return debug_machine_stop(&evaluation->machine, DEBUG_MALFORMED);
	return describe(evaluation, (struct debug_piece){ .kind = DEBUG_IS_BYTES,
							  .bytes = block.data,
							  .n_bytes = block.length });
}

static bool describe_value(struct evaluation *evaluation)
{
	struct debug_number number;

	return debug_machine_pop(&evaluation->machine, &number) &&
	       describe(evaluation,
			(struct debug_piece){ .kind = DEBUG_IS_VALUE, .value = number.bits });
}

/* Ends a piece of @n_bits, 0 for the whole object. */
static bool add_piece(struct evaluation *evaluation, uint64_t n_bits, uint64_t bit)
{
	struct debug_location *location = evaluation->location;
	struct debug_piece piece = evaluation->described;
	struct debug_number addr;

	if (location->n_pieces == DEBUG_PIECES_MAX)
		return debug_machine_stop(&evaluation->machine, DEBUG_NOT_SUPPORTED);
	if (piece.kind == DEBUG_IN_MEMORY && !evaluation->machine.depth) {
		piece = (struct debug_piece){ .kind = DEBUG_IS_MISSING,
					      .reason = DEBUG_OPTIMIZED_OUT };
	} else if (piece.kind == DEBUG_IN_MEMORY) {
		if (!debug_machine_pop(&evaluation->machine, &addr))
			return false;
		piece.value = addr.bits;
	}
	piece.n_bits = n_bits;
	piece.bit = bit;
	location->pieces[location->n_pieces++] = piece;
	evaluation->described = (struct debug_piece){ .kind = DEBUG_IN_MEMORY };
	return true;
}

/* A piece without bits is none. */
static bool end_piece(struct evaluation *evaluation, const Dwarf_Op *op)
{
	bool is_bytes = op->atom == DW_OP_piece;
	uint64_t n_bits = is_bytes && op->number <= UINT32_MAX ? 8 * op->number
			  : is_bytes                           ? 0
							       : op->number;

	if (!n_bits || n_bits > UINT32_MAX)
		return debug_machine_stop(&evaluation->machine, DEBUG_MALFORMED);
	return add_piece(evaluation, n_bits, is_bytes ? 0 : op->number2);
}

/* Operations that describe where an object is. false: another one. */
static bool step_of_places(struct evaluation *evaluation, const Dwarf_Op *op, bool *ok_ret)
{
	struct debug_piece piece = { .kind = DEBUG_IN_REGISTER, .value = op->number };

	switch (op->atom) {
	case DW_OP_regx:
		break;
	case DW_OP_implicit_value:
		*ok_ret = describe_bytes(evaluation, op);
		return true;
	case DW_OP_stack_value:
		*ok_ret = describe_value(evaluation);
		return true;
	/* The object that it points to has been optimized out, and so has no address. */
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		piece = (struct debug_piece){ .kind = DEBUG_IS_MISSING,
					      .reason = DEBUG_NOT_STORED };
		break;
	case DW_OP_piece:
	case DW_OP_bit_piece:
		*ok_ret = end_piece(evaluation, op);
		return true;
	default:
		if (op->atom < DW_OP_reg0 || op->atom > DW_OP_reg31)
			return false;
		piece.value = op->atom - DW_OP_reg0;
	}
	*ok_ret = describe(evaluation, piece);
	return true;
}

static bool step(struct evaluation *evaluation, const Dwarf_Op *op)
{
	bool ok;

	if (step_of_places(evaluation, op, &ok))
		return ok;
	switch (op->atom) {
	case DW_OP_fbreg:
		return push_frame_base(evaluation, op->number);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(evaluation, op);
	case DW_OP_GNU_parameter_ref:
		return push_parameter(evaluation, op);
	default:
		return debug_machine_step(&evaluation->machine, op);
	}
}

/* Goes to the operation that a branch leads to. */
static bool branch(struct evaluation *evaluation, const Dwarf_Op *ops, size_t n_ops, size_t *at)
{
	const Dwarf_Op *op = &ops[*at];
	/* From the end of the branch: its atom and two bytes. */
	uint64_t target = op->offset + 3 + (uint64_t)(int64_t)(int16_t)op->number;
	struct debug_number condition = { .bits = 1 };

	if (op->atom == DW_OP_bra && !debug_machine_pop(&evaluation->machine, &condition))
		return false;
	++*at;
	if (!condition.bits)
		return true;
	for (size_t i = 0; i < n_ops; i++) {
		if (ops[i].offset == target) {
			*at = i;
			return true;
		}
	}
	/* Behind the last one. */
	if (target <= ops[n_ops - 1].offset)
		return debug_machine_stop(&evaluation->machine, DEBUG_MALFORMED);
	*at = n_ops;
	return true;
}

static bool run(struct evaluation *evaluation, const Dwarf_Op *ops, size_t n_ops)
{
	size_t i = 0;

	while (i < n_ops) {
		if (evaluation->limits->n_steps++ == STEPS_MAX)
			return debug_machine_stop(&evaluation->machine, DEBUG_MALFORMED);
		if (ops[i].atom == DW_OP_bra || ops[i].atom == DW_OP_skip) {
			if (!branch(evaluation, ops, n_ops, &i))
				return false;
		} else if (!step(evaluation, &ops[i++])) {
			return false;
		}
	}
	/* What has no piece is the whole object. */
	return evaluation->location->n_pieces || add_piece(evaluation, 0, 0);
}

/* The operations for the frame's address. 0: the list has none. */
static int find_operations(Dwarf_Attribute *attribute, uint64_t vaddr, Dwarf_Op **ops_ret,
			   size_t *n_ret)
{
	int n = dwarf_getlocation_addr(attribute, vaddr, ops_ret, n_ret, 1);

	return n > 0 && !*n_ret ? 0 : n;
}

static enum debug_reason evaluate(struct debug_location *location, Dwarf_Attribute *attribute,
				  const struct debug_frame *frame, struct limits *limits)
{
	struct evaluation evaluation;
	Dwarf_Op *ops;
	size_t n_ops;
	uint8_t address_size;

	location->n_pieces = 0;
	if (limits->nesting == NESTING_MAX)
		return DEBUG_NOT_SUPPORTED;
	int n = find_operations(attribute, frame->vaddr, &ops, &n_ops);
	if (n == 0)
		return DEBUG_OPTIMIZED_OUT;
	if (n < 0 && debug_is_uninitialized(attribute, frame->vaddr))
		return DEBUG_NOT_INITIALIZED;
	if (n < 0 ||
	    dwarf_cu_info(attribute->cu, NULL, NULL, NULL, NULL, NULL, &address_size, NULL) != 0)
		return DEBUG_MALFORMED;
	evaluation.machine.frame = frame;
	evaluation.machine.attribute = attribute;
	evaluation.limits = limits;
	evaluation.machine.generic =
		(struct debug_number_type){ .size = address_size == 4 ? 4 : 8 };
	evaluation.machine.depth = 0;
	evaluation.described = (struct debug_piece){ .kind = DEBUG_IN_MEMORY };
	evaluation.location = location;
	limits->nesting++;
	bool ok = run(&evaluation, ops, n_ops);
	limits->nesting--;
	return ok ? DEBUG_KNOWN : evaluation.machine.reason;
}

enum debug_reason debug_location_evaluate(struct debug_location *location,
					  Dwarf_Attribute *attribute,
					  const struct debug_frame *frame)
{
	struct limits limits = { 0 };

	return evaluate(location, attribute, frame, &limits);
}

/* A constant of the program, in the debug information itself. */
static enum debug_reason take_constant(struct debug_location *location, Dwarf_Attribute *attribute)
{
	struct debug_piece piece = { .kind = DEBUG_IS_VALUE };
	Dwarf_Block block;
	const char *text;

	switch (dwarf_whatform(attribute)) {
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		if (dwarf_formblock(attribute, &block) != 0)
			return DEBUG_MALFORMED;
		piece.kind = DEBUG_IS_BYTES;
		piece.bytes = block.data;
		piece.n_bytes = block.length;
		break;
	case DW_FORM_string:
	case DW_FORM_strp:
		text = dwarf_formstring(attribute);
		if (!text)
			return DEBUG_MALFORMED;
		piece.kind = DEBUG_IS_BYTES;
		piece.bytes = (const uint8_t *)text;
		piece.n_bytes = strlen(text) + 1;
		break;
	default:
		if (!debug_number_constant(attribute, &piece.value))
			return DEBUG_NOT_SUPPORTED;
	}
	location->pieces[0] = piece;
	location->n_pieces = 1;
	return DEBUG_KNOWN;
}

enum debug_reason debug_location_find(struct debug_location *location, Dwarf_Die *die,
				      const struct debug_frame *frame)
{
	Dwarf_Attribute found;

	location->n_pieces = 0;
	if (dwarf_attr_integrate(die, DW_AT_location, &found))
		return debug_location_evaluate(location, &found, frame);
	if (dwarf_attr_integrate(die, DW_AT_const_value, &found))
		return take_constant(location, &found);
	return DEBUG_OPTIMIZED_OUT;
}
