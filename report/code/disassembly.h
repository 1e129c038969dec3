/*
 * Disassembles machine code of x86-64, i386 and arm64 with libcapstone. The code may be any bytes;
 * bytes that are not an instruction are shown as they are.
 */
#ifndef REPORT_CODE_DISASSEMBLY_H
#define REPORT_CODE_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_TEXT_SIZE 256

/* Where control goes after an instruction. */
enum instruction_flow {
	CODE_GOES_ON,  /* to the next one */
	CODE_MAY_JUMP, /* there, or to @target */
	CODE_JUMPS,    /* to @target; without a target, to one that only a run shows */
	CODE_CALLS,    /* elsewhere, and on with the next one when that returns */
	CODE_RETURNS,
	CODE_STOPS, /* it is a trap */
};

struct instruction {
	unsigned size;    /* bytes, at least 1 */
	bool has_target;  /* it may jump to @target or call it */
	bool is_call;     /* with a target: it is a call, not a jump */
	bool has_operand; /* it refers to data at @target: an operand relative to the pc */
	uint64_t target;
	enum instruction_flow flow;
	char text[INSTRUCTION_TEXT_SIZE];
};

struct disassembler;

/* Loads what a disassembler needs, for one that is made when this process has no more right to.
 * 0, or -ELIBACC: it is not here; *@reason_ret says why, until the thread's next dlerror(). */
int disassembly_prepare(const char **reason_ret);
/* 0, -ENOMEM; -ENOTSUP: @machine is not one of the three above; -ELIBACC: libcapstone is not here.
 */
int disassembler_create(uint16_t machine, bool intel_syntax,
			struct disassembler **disassembler_ret);
void disassembler_destroy(struct disassembler *disassembler);
/* Decodes the first instruction of @code, whose address is @vaddr. @size: at least 1. */
void disassembler_next(struct disassembler *disassembler, const uint8_t *code, size_t size,
		       uint64_t vaddr, struct instruction *instruction_ret);

#endif
