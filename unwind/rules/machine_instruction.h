/*
 * What one machine instruction does to the stack, the registers and the flow of control, as far as
 * finding a caller needs it.
 */
#ifndef UNWIND_RULES_MACHINE_INSTRUCTION_H
#define UNWIND_RULES_MACHINE_INSTRUCTION_H

#include <stdint.h>

#define MACHINE_OPS_MAX 4
#define MACHINE_NO_REG  0xff

enum machine_flow {
	FLOW_NEXT,
	FLOW_CALL,      /* continues after it, if the callee returns */
	FLOW_JUMP,      /* to @target */
	FLOW_BRANCH,    /* to @target, or to the next instruction */
	FLOW_RETURN,    /* to the link register, or the word at the stack pointer before the ops */
	FLOW_TAIL_CALL, /* a jump through a slot of a table of functions: the callee returns */
	FLOW_INDIRECT,  /* to an address that is not in the code: a tail call, or a switch */
	FLOW_SWITCH,    /* to an entry of a table */
	FLOW_STOP,      /* nowhere, or to code that is not followed */
};

enum machine_op_kind {
	OP_SET,   /* @to = @from + @value */
	OP_LOAD,  /* @to = the word at @from + @value */
	OP_STORE, /* the word at @to + @value = @from; MACHINE_NO_REG: something unknown */
	OP_SWAP,  /* @to and @from change places */
	OP_ENTRY, /* @to += a word of the table at @from + @value */
	OP_PUSH,  /* the word below the stack pointer = the word at @from + @value */
	OP_POP,   /* the word at @to + @value = the word below the stack pointer */
};

/* Registers by DWARF number. */
struct machine_op {
	uint8_t kind; /* enum machine_op_kind */
	uint8_t to, from;
	int32_t value; /* bytes */
};

struct machine_instruction {
	uint8_t size;     /* bytes */
	uint8_t flow;     /* enum machine_flow */
	uint8_t jumps_to; /* FLOW_INDIRECT: the register with the address; MACHINE_NO_REG: memory */
	uint8_t n_ops;
	struct machine_op ops[MACHINE_OPS_MAX]; /* in their order, after the clobbers */
	uint64_t clobbers; /* bit per register that gets a value that is not followed */
	int64_t target;    /* of a jump or branch, from the instruction's first byte on */
};

#define JUMP_ENTRIES_MAX 512

/* A jump by a table in 64-bit code: its entries are 32 bits, and distances from its own address. */
struct jump_by_table {
	uint8_t base,
		to; /* registers, by the processor's numbers: the table's address, the target */
	uint32_t n_entries; /* at most JUMP_ENTRIES_MAX */
};

#endif
