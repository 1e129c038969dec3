#include "report/code/disassembly.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/object/elf_image.h"
#include "report/code/capstone_decoder.h"
#include "report/code/x86_vector_size.h"

#define ARM64_INSTRUCTION_SIZE 4

struct disassembler {
	struct capstone_decoder decoder;
	bool is_arm64, is_64;
};

uint16_t disassembly_machine(Elf *elf)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return EM_NONE;
	/* x32 has the same instructions as x86-64. */
	bool is_known = header.e_machine == EM_X86_64 || header.e_machine == EM_386 ||
			(header.e_machine == EM_AARCH64 && header.e_ident[EI_CLASS] == ELFCLASS64);
	return is_known ? header.e_machine : EM_NONE;
}

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

/*
 * Reduces *@size to the end of the section that contains @vaddr. False: the file contains no bytes
 * of that section.
 */
static bool limit_to_section(Elf *elf, uint64_t vaddr, uint64_t *size)
{
	struct elf_section section = { 0 };

	while (elf_next_section(elf, &section)) {
		uint64_t skipped = vaddr - section.header.sh_addr;

		if (!(section.header.sh_flags & SHF_EXECINSTR) || vaddr < section.header.sh_addr ||
		    skipped >= section.header.sh_size)
			continue;
		if (section.header.sh_size - skipped < *size)
			*size = section.header.sh_size - skipped;
		return section.header.sh_type != SHT_NOBITS;
	}
	return true;
}

/* The file's bytes at @vaddr. *@size: at most as many; set to their number. */
static const uint8_t *code_in_segment(Elf *elf, const struct elf_segment *segment, uint64_t vaddr,
				      uint64_t *size)
{
	uint64_t skipped = vaddr - segment->vaddr;

	if (segment->size - skipped < *size)
		*size = segment->size - skipped;
	return limit_to_section(elf, vaddr, size)
		       ? elf_file_bytes(elf, segment->offset + skipped, *size)
		       : NULL;
}

const uint8_t *disassembly_code(Elf *elf, uint64_t vaddr, uint64_t end, size_t *size_ret)
{
	struct elf_segments segments;
	uint64_t size = end - vaddr;

	if (end <= vaddr || elf_segments_init(&segments, elf))
		return NULL;
	const struct elf_segment *segment = elf_segments_at_vaddr(&segments, vaddr);
	const uint8_t *code = segment ? code_in_segment(elf, segment, vaddr, &size) : NULL;

	elf_segments_deinit(&segments);
	if (code)
		*size_ret = size;
	return code;
}
