/*
 * The stack of a DWARF expression (DWARF 5, 2.5.1), and the operations that need nothing but the
 * stack and a frame's registers and memory: constants, arithmetic, types, dereferences.
 */
#ifndef REPORT_DWARF_DEBUG_MACHINE_H
#define REPORT_DWARF_DEBUG_MACHINE_H

#include "report/dwarf/debug_number.h"
#include "report/dwarf/debug_pieces.h"

#define DEBUG_STACK_MAX 64

struct debug_machine {
	const struct debug_frame *frame;
	Dwarf_Attribute *attribute; /* whose expression it is */
	struct debug_number_type generic;
	struct debug_number stack[DEBUG_STACK_MAX];
	size_t depth;
	enum debug_reason reason; /* set where a function returns false */
};

/* Sets the reason and returns false. */
bool debug_machine_stop(struct debug_machine *machine, enum debug_reason reason);
bool debug_machine_push(struct debug_machine *machine, uint64_t value);
bool debug_machine_pop(struct debug_machine *machine, struct debug_number *number_ret);
/* Pushes a register's value plus @offset. */
bool debug_machine_push_register(struct debug_machine *machine, uint64_t reg, uint64_t offset);
/* Any of the operations named above; others are not supported. */
bool debug_machine_step(struct debug_machine *machine, const Dwarf_Op *op);

#endif
