#include "report/code/disassembly.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/code/capstone_decoder.h"
#include "report/code/x86_vector_size.h"

#define ARM64_INSTRUCTION_SIZE 4

struct disassembler {
	struct capstone_decoder decoder;
	bool is_arm64, is_64;
};

int disassembly_prepare(const char **reason_ret)
{
	struct capstone library;

	return capstone_load(&library, reason_ret);
}

static int open_decoder(uint16_t machine, struct disassembler *disassembler)
{
	cs_mode mode = machine == EM_X86_64 ? CS_MODE_64 : CS_MODE_32;

	if (machine != EM_X86_64 && machine != EM_386 && machine != EM_AARCH64)
		return -ENOTSUP;
	disassembler->is_arm64 = machine == EM_AARCH64;
	disassembler->is_64 = machine != EM_386;
	if (disassembler->is_arm64)
		mode = CS_MODE_ARM;
	return capstone_decoder_open(&disassembler->decoder,
				     disassembler->is_arm64 ? CS_ARCH_ARM64 : CS_ARCH_X86, mode);
}

int disassembler_create(uint16_t machine, bool intel_syntax, struct disassembler **disassembler_ret)
{
	struct disassembler *disassembler = calloc(1, sizeof(*disassembler));
	int err = disassembler ? open_decoder(machine, disassembler) : -ENOMEM;

	if (err) {
		free(disassembler);
		return err;
	}
	const struct capstone_decoder *decoder = &disassembler->decoder;
	if (!intel_syntax && !disassembler->is_arm64)
		decoder->library.cs_option(decoder->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	*disassembler_ret = disassembler;
	return 0;
}

void disassembler_destroy(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	capstone_decoder_close(&disassembler->decoder);
	free(disassembler);
}

static bool is_in_group(const cs_insn *instruction, uint8_t group)
{
	for (uint8_t i = 0; i < instruction->detail->groups_count; i++) {
		if (instruction->detail->groups[i] == group)
			return true;
	}
	return false;
}

static void find_x86_target(const cs_insn *from, bool is_branch, struct instruction *to)
{
	const cs_x86 *x86 = &from->detail->x86;

	for (uint8_t i = 0; i < x86->op_count; i++) {
		const cs_x86_op *operand = &x86->operands[i];

		if (is_branch && operand->type == X86_OP_IMM) {
			to->has_target = true;
			to->target = (uint64_t)operand->imm;
		} else if (operand->type == X86_OP_MEM && operand->mem.base == X86_REG_RIP) {
			to->has_operand = true;
			to->target = from->address + from->size + (uint64_t)operand->mem.disp;
		}
	}
}

/* The target is the last immediate operand: in tbz, the one before is the number of a bit. */
static void find_arm64_target(const cs_insn *from, bool is_branch, struct instruction *to)
{
	const cs_arm64 *arm64 = &from->detail->arm64;

	for (uint8_t i = 0; is_branch && i < arm64->op_count; i++) {
		if (arm64->operands[i].type != ARM64_OP_IMM)
			continue;
		to->has_target = true;
		to->target = (uint64_t)arm64->operands[i].imm;
	}
}

static enum instruction_flow flow_on_x86(const cs_insn *from)
{
	if (from->id == X86_INS_UD2 || from->id == X86_INS_HLT || from->id == X86_INS_INT3)
		return CODE_STOPS;
	if (from->id == X86_INS_JMP || from->id == X86_INS_LJMP)
		return CODE_JUMPS;
	return is_in_group(from, CS_GRP_RET) ? CODE_RETURNS : CODE_MAY_JUMP;
}

static enum instruction_flow flow_on_arm64(const cs_insn *from)
{
	arm64_cc condition = from->detail->arm64.cc;

	if (from->id == ARM64_INS_BRK || from->id == ARM64_INS_HLT)
		return CODE_STOPS;
	if (from->id == ARM64_INS_BR)
		return CODE_JUMPS;
	if (from->id == ARM64_INS_B && (condition == ARM64_CC_INVALID || condition == ARM64_CC_AL))
		return CODE_JUMPS;
	return from->id == ARM64_INS_RET ? CODE_RETURNS : CODE_MAY_JUMP;
}

static enum instruction_flow find_flow(const struct disassembler *disassembler, bool is_call)
{
	const cs_insn *from = disassembler->decoder.instruction;
	enum instruction_flow flow;

	if (is_call)
		return CODE_CALLS;
	flow = disassembler->is_arm64 ? flow_on_arm64(from) : flow_on_x86(from);
	return flow != CODE_MAY_JUMP || is_in_group(from, CS_GRP_JUMP) ? flow : CODE_GOES_ON;
}

static void fill(const struct disassembler *disassembler, struct instruction *instruction)
{
	const cs_insn *from = disassembler->decoder.instruction;
	bool is_branch = is_in_group(from, CS_GRP_JUMP) || is_in_group(from, CS_GRP_CALL) ||
			 is_in_group(from, CS_GRP_BRANCH_RELATIVE);

	instruction->size = from->size;
	snprintf(instruction->text, sizeof(instruction->text), "%s%s%s", from->mnemonic,
		 *from->op_str ? " " : "", from->op_str);
	if (disassembler->is_arm64)
		find_arm64_target(from, is_branch, instruction);
	else
		find_x86_target(from, is_branch, instruction);
	instruction->is_call = is_in_group(from, CS_GRP_CALL);
	if (disassembler->is_arm64)
		instruction->is_call |= from->id == ARM64_INS_BL || from->id == ARM64_INS_BLR;
	instruction->flow = find_flow(disassembler, instruction->is_call);
}

/*
 * Shows bytes that are not an instruction: one byte, four on arm64, or a whole vector instruction
 * that libcapstone lacks.
 */
static void fill_bytes(const struct disassembler *disassembler, const uint8_t *code, size_t size,
		       struct instruction *instruction)
{
	uint32_t word = 0;

	if (disassembler->is_arm64 && size >= ARM64_INSTRUCTION_SIZE) {
		for (int i = ARM64_INSTRUCTION_SIZE; i-- > 0;)
			word = word << 8 | code[i];
		instruction->size = ARM64_INSTRUCTION_SIZE;
		snprintf(instruction->text, sizeof(instruction->text), ".word 0x%08x", word);
		return;
	}
	if (!disassembler->is_arm64)
		instruction->size = x86_vector_size(code, size, disassembler->is_64);
	if (!instruction->size)
		instruction->size = 1;
	int n = snprintf(instruction->text, sizeof(instruction->text), ".byte");
	for (unsigned i = 0; i < instruction->size; i++)
		n += snprintf(instruction->text + n, sizeof(instruction->text) - (size_t)n,
			      "%s 0x%02x", i ? "," : "", code[i]);
}

void disassembler_next(struct disassembler *disassembler, const uint8_t *code, size_t size,
		       uint64_t vaddr, struct instruction *instruction_ret)
{
	const struct capstone_decoder *decoder = &disassembler->decoder;
	const uint8_t *at = code;
	size_t rest = size;

	*instruction_ret = (struct instruction){ 0 };
	if (decoder->library.cs_disasm_iter(decoder->handle, &at, &rest, &vaddr,
					    decoder->instruction) &&
	    decoder->instruction->size && decoder->instruction->size <= size)
		fill(disassembler, instruction_ret);
	else
		fill_bytes(disassembler, code, size, instruction_ret);
}
