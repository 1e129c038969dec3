/*
 * Machine code -> text, by libcapstone: x86-64, i386 and arm64. Any bytes may come; what is no
 * instruction is shown as bytes.
 */
#ifndef REPORT_CODE_DISASSEMBLY_H
#define REPORT_CODE_DISASSEMBLY_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_TEXT_SIZE 256

struct instruction {
	unsigned size;    /* bytes, at least 1 */
	bool has_target;  /* it may go to @target: a jump or a call */
	bool is_call;     /* with a target: it comes back */
	bool has_operand; /* it uses what is at @target: an operand relative to the pc */
	uint64_t target;
	char text[INSTRUCTION_TEXT_SIZE];
};

struct disassembler;

/* EM_X86_64, EM_386 or EM_AARCH64; EM_NONE: code of this file is not disassembled. */
uint16_t disassembly_machine(Elf *elf);
/* 0, -ENOMEM, or -ENOTSUP: @machine is not one of the three. */
int disassembler_create(uint16_t machine, bool intel_syntax,
			struct disassembler **disassembler_ret);
void disassembler_destroy(struct disassembler *disassembler);
/* The first instruction of @code, at @vaddr. @size: at least 1. */
void disassembler_next(struct disassembler *disassembler, const uint8_t *code, size_t size,
		       uint64_t vaddr, struct instruction *instruction_ret);

/*
 * The bytes from @vaddr up to @end at most, in the section or segment that holds them; no more than
 * the file has. NULL: it has none there, for it has been stripped of its code, for example. They
 * live as long as @elf.
 */
const uint8_t *disassembly_code(Elf *elf, uint64_t vaddr, uint64_t end, size_t *size_ret);

#endif
