/* Intel SDM volume 2, appendix A: opcode maps. What is not listed here ends the way. */
#include "unwind/code_i386.h"

/* Numbers of registers, in instructions as in DWARF. */
enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, EIP };

#define STEPS_MAX  400
#define STORES_MAX 32

/* What follows an opcode, and what it writes. */
enum {
	MODRM = 1 << 0,
	IMM8 = 1 << 1,
	IMM = 1 << 2,         /* 4 bytes, or 2 after an operand size prefix */
	WRITES_REG = 1 << 3,  /* the register in ModRM.reg */
	WRITES_RM = 1 << 4,   /* that in ModRM.rm, if it is one */
	WRITES_LOW = 1 << 5,  /* that in the opcode's last three bits */
	WRITES_AXDX = 1 << 6, /* eax, edx */
	WRITES_STR = 1 << 7,  /* ecx, esi, edi, eax */
	BYTES = 1 << 8,       /* its registers are al, cl, dl, bl, ah, ch, dh, bh */
	KNOWN = 1 << 9,
};

/* A word in memory that is no longer what the copy says. */
struct store {
	uint64_t addr, value;
	unsigned size;
	bool is_known;
};

struct follow {
	const uint8_t *code;
	size_t size, at;
	const struct stack_copy *stack;
	struct regs *regs;
	struct store stores[STORES_MAX]; /* the last one at an address is valid */
	size_t n_stores;
	bool takes_branches; /* forward ones, that depend on a condition */
	bool has_branches;
	bool is_16_bit;
};

struct instruction {
	uint8_t opcode, modrm;
	bool is_0f;
	bool has_index;
	int base; /* of the memory operand; -1: none, or in more than one register */
	int32_t displacement, immediate;
};

static unsigned arithmetic(uint8_t opcode)
{
	bool is_cmp = opcode >= 0x38;

	switch (opcode & 7) {
	case 0:
		return MODRM | BYTES | (is_cmp ? KNOWN : WRITES_RM);
	case 1:
		return MODRM | (is_cmp ? KNOWN : WRITES_RM);
	case 2:
		return MODRM | BYTES | (is_cmp ? KNOWN : WRITES_REG);
	case 3:
		return MODRM | (is_cmp ? KNOWN : WRITES_REG);
	case 4:
		return IMM8 | (is_cmp ? KNOWN : WRITES_AXDX);
	case 5:
		return IMM | (is_cmp ? KNOWN : WRITES_AXDX);
	default:
		return 0;
	}
}

/* 0: not to be followed. Instructions that step() knows better are here for their length. */
static unsigned one_byte_form(uint8_t opcode)
{
	if (opcode < 0x40)
		return arithmetic(opcode);
	if (opcode < 0x50 || (opcode >= 0x58 && opcode < 0x60))
		return WRITES_LOW;
	if (opcode >= 0x50 && opcode < 0x58)
		return KNOWN;
	if (opcode >= 0x70 && opcode < 0x80)
		return IMM8 | KNOWN;
	if (opcode >= 0xb0 && opcode < 0xb8)
		return IMM8 | WRITES_LOW | BYTES;
	if (opcode >= 0xb8 && opcode < 0xc0)
		return IMM | WRITES_LOW;
	if (opcode >= 0xd8 && opcode < 0xe0)
		return MODRM | WRITES_AXDX; /* x87: fnstsw writes ax */
	switch (opcode) {
	case 0x68:
		return IMM | KNOWN;
	case 0x6a:
	case 0xe3:
	case 0xeb:
	case 0xcd:
		return IMM8 | (opcode == 0xcd ? WRITES_AXDX : KNOWN);
	case 0x69:
		return MODRM | IMM | WRITES_REG;
	case 0x6b:
		return MODRM | IMM8 | WRITES_REG;
	case 0x80:
		return MODRM | IMM8 | WRITES_RM | BYTES;
	case 0x81:
		return MODRM | IMM | WRITES_RM;
	case 0x83:
	case 0xc1:
		return MODRM | IMM8 | WRITES_RM;
	case 0xc0:
		return MODRM | IMM8 | WRITES_RM | BYTES;
	case 0x84:
	case 0x85:
		return MODRM | KNOWN;
	case 0x86:
		return MODRM | WRITES_RM | WRITES_REG | BYTES;
	case 0x87:
		return MODRM | WRITES_RM | WRITES_REG;
	case 0x88:
		return MODRM | WRITES_RM | BYTES;
	case 0x89:
		return MODRM | WRITES_RM;
	case 0x8a:
		return MODRM | WRITES_REG | BYTES;
	case 0x8b:
	case 0x8d:
		return MODRM | WRITES_REG;
	case 0x90:
	case 0x9b:
	case 0x9e:
	case 0xc2:
	case 0xc3:
	case 0xc9:
	case 0xf5:
	case 0xf8:
	case 0xf9:
	case 0xfc:
	case 0xfd:
		return KNOWN;
	case 0x91 ... 0x97:
		return WRITES_LOW | WRITES_AXDX;
	case 0x98:
	case 0x99:
	case 0x9f:
		return WRITES_AXDX;
	case 0xa4 ... 0xa7:
	case 0xaa ... 0xaf:
		return WRITES_STR;
	case 0xa8:
		return IMM8 | KNOWN;
	case 0xa9:
	case 0xe8:
	case 0xe9:
		return IMM | KNOWN;
	case 0xc6:
		return MODRM | IMM8 | WRITES_RM | BYTES;
	case 0xc7:
		return MODRM | IMM | WRITES_RM;
	case 0xd0:
	case 0xd2:
	case 0xfe:
		return MODRM | WRITES_RM | BYTES;
	case 0xd1:
	case 0xd3:
		return MODRM | WRITES_RM;
	case 0xf6:
		return MODRM | WRITES_RM | WRITES_AXDX | BYTES; /* test has an immediate, too */
	case 0xf7:
	case 0xff:
		return MODRM | WRITES_RM | (opcode == 0xf7 ? WRITES_AXDX : 0);
	default:
		return 0;
	}
}

static unsigned two_byte_form(uint8_t opcode)
{
	switch (opcode) {
	case 0x31: /* rdtsc */
	case 0x77: /* emms */
		return WRITES_AXDX;
	case 0x01: /* rdtscp */
		return MODRM | WRITES_AXDX | WRITES_STR;
	case 0x10 ... 0x1f:
	case 0x28 ... 0x2b:
	case 0x2e:
	case 0x2f:
	case 0x51 ... 0x6f:
	case 0x74 ... 0x76:
	case 0x7c:
	case 0x7d:
	case 0x7f:
	case 0xa3:
	case 0xae:
	case 0xc3:
	case 0xd0 ... 0xd6:
	case 0xd8 ... 0xfe:
		return MODRM | KNOWN;
	case 0x70 ... 0x73:
	case 0xc2:
	case 0xc4:
	case 0xc6:
		return MODRM | IMM8 | KNOWN;
	case 0xc5:
		return MODRM | IMM8 | WRITES_REG;
	case 0x2c:
	case 0x2d:
	case 0x40 ... 0x50:
	case 0xaf:
	case 0xb6 ... 0xb8:
	case 0xbc ... 0xbf:
	case 0xd7:
		return MODRM | WRITES_REG;
	case 0x7e:
	case 0xa5:
	case 0xab:
	case 0xad:
	case 0xb3:
	case 0xbb:
		return MODRM | WRITES_RM;
	case 0x90 ... 0x9f:
		return MODRM | WRITES_RM | BYTES;
	case 0xa4:
	case 0xac:
	case 0xba:
		return MODRM | IMM8 | WRITES_RM;
	case 0xb0:
	case 0xb1:
	case 0xc0:
	case 0xc1:
		return MODRM | WRITES_RM | WRITES_REG | WRITES_AXDX;
	case 0x80 ... 0x8f:
		return IMM | KNOWN;
	case 0xc8 ... 0xcf:
		return WRITES_LOW;
	default:
		return 0;
	}
}

static bool get(const struct follow *follow, unsigned reg, uint64_t *ret)
{
	*ret = follow->regs->values[reg];
	return regs_have(follow->regs, reg);
}

static void lose(struct follow *follow, unsigned reg)
{
	follow->regs->valid &= ~(1ull << reg);
}

static void set(struct follow *follow, unsigned reg, uint64_t value)
{
	regs_set(follow->regs, reg, (uint32_t)value);
}

static void copy(struct follow *follow, unsigned to, unsigned from)
{
	uint64_t value;

	if (get(follow, from, &value))
		set(follow, to, value);
	else
		lose(follow, to);
}

static bool fetch(struct follow *follow, size_t size, int32_t *ret)
{
	const uint8_t *bytes = follow->code + follow->at;
	int16_t narrow;

	if (follow->size - follow->at < size)
		return false;
	follow->at += size;
	*ret = bytes[0] < 0x80 ? bytes[0] : bytes[0] - 0x100;
	if (size == 2) {
		memcpy(&narrow, bytes, sizeof(narrow));
		*ret = narrow;
	} else if (size == 4) {
		memcpy(ret, bytes, sizeof(*ret));
	}
	return true;
}

static bool fetch_byte(struct follow *follow, uint8_t *ret)
{
	int32_t value;

	if (!fetch(follow, 1, &value))
		return false;
	*ret = (uint8_t)value;
	return true;
}

/* ModRM's memory operand: [base + displacement], or something with an index or without a base. */
static bool fetch_operand(struct follow *follow, struct instruction *instruction)
{
	uint8_t mod = instruction->modrm >> 6, rm = instruction->modrm & 7, sib;

	if (mod == 3)
		return true;
	instruction->base = rm;
	if (rm == ESP) {
		if (!fetch_byte(follow, &sib))
			return false;
		instruction->base = sib & 7;
		instruction->has_index = (sib >> 3 & 7) != ESP;
	}
	if (mod == 0 && instruction->base == EBP) {
		instruction->base = -1;
		return fetch(follow, 4, &instruction->displacement);
	}
	return mod == 0 || fetch(follow, mod == 1 ? 1 : 4, &instruction->displacement);
}

static bool fetch_prefixes(struct follow *follow, uint8_t *opcode_ret)
{
	follow->is_16_bit = false;
	for (int n = 0; n < 4; n++) {
		if (!fetch_byte(follow, opcode_ret))
			return false;
		switch (*opcode_ret) {
		case 0x66:
			follow->is_16_bit = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0xf0:
		case 0xf2:
		case 0xf3:
			break;
		default:
			return true;
		}
	}
	return false;
}

/* *@form_ret: what it writes. false: not to be followed. */
static bool fetch_instruction(struct follow *follow, struct instruction *instruction,
			      unsigned *form_ret)
{
	unsigned form;

	*instruction = (struct instruction){ .base = -1 };
	if (!fetch_prefixes(follow, &instruction->opcode))
		return false;
	form = one_byte_form(instruction->opcode);
	if (instruction->opcode == 0x0f) {
		instruction->is_0f = true;
		if (!fetch_byte(follow, &instruction->opcode))
			return false;
		form = two_byte_form(instruction->opcode);
	}
	if (!form || (form & MODRM && (!fetch_byte(follow, &instruction->modrm) ||
				       !fetch_operand(follow, instruction))))
		return false;
	/* `test` alone of this group has an immediate. */
	if (!instruction->is_0f && (instruction->opcode & 0xfe) == 0xf6 &&
	    !(instruction->modrm & 0x30))
		form |= instruction->opcode == 0xf6 ? IMM8 : IMM;
	*form_ret = form;
	if (form & IMM8)
		return fetch(follow, 1, &instruction->immediate);
	return !(form & IMM) || fetch(follow, follow->is_16_bit ? 2 : 4, &instruction->immediate);
}

/* What an instruction that is not understood further does to the registers. */
static void lose_written(struct follow *follow, const struct instruction *instruction,
			 unsigned form)
{
	const unsigned mask = form & BYTES ? 3 : 7;

	if (form & WRITES_REG)
		lose(follow, instruction->modrm >> 3 & mask);
	if (form & WRITES_RM && instruction->modrm >= 0xc0)
		lose(follow, instruction->modrm & mask);
	if (form & WRITES_LOW)
		lose(follow, instruction->opcode & mask);
	if (form & (WRITES_AXDX | WRITES_STR))
		lose(follow, EAX);
	if (form & WRITES_AXDX)
		lose(follow, EDX);
	if (form & WRITES_STR) {
		lose(follow, ECX);
		lose(follow, ESI);
		lose(follow, EDI);
	}
}

/* Where an operand lies. false: not known, which is no place where registers are saved. */
static bool operand_address(const struct follow *follow, const struct instruction *instruction,
			    uint64_t *addr_ret)
{
	uint64_t base;

	if (instruction->base < 0 || instruction->has_index ||
	    !get(follow, (unsigned)instruction->base, &base))
		return false;
	*addr_ret = (uint32_t)(base + (uint64_t)instruction->displacement);
	return true;
}

/* @reg: what is stored; -1: something. */
static bool store(struct follow *follow, uint64_t addr, unsigned size, int reg)
{
	struct store *next = &follow->stores[follow->n_stores];

	if (follow->n_stores == STORES_MAX)
		return false;
	next->addr = (uint32_t)addr;
	next->size = size;
	next->is_known = reg >= 0 && get(follow, (unsigned)reg, &next->value);
	follow->n_stores++;
	return true;
}

static bool note_store(struct follow *follow, const struct instruction *instruction, unsigned form)
{
	bool is_whole = !instruction->is_0f && instruction->opcode == 0x89 && !follow->is_16_bit;
	uint64_t addr;

	if (!(form & WRITES_RM) || !operand_address(follow, instruction, &addr))
		return true;
	return store(follow, addr, form & BYTES ? 1 : 4,
		     is_whole ? instruction->modrm >> 3 & 7 : -1);
}

static bool read_word(const struct follow *follow, uint64_t addr, uint64_t *value_ret)
{
	for (size_t i = follow->n_stores; i-- > 0;) {
		const struct store *last = &follow->stores[i];

		if (last->addr == addr && last->is_known) {
			*value_ret = last->value;
			return true;
		}
		if (addr < last->addr + last->size && last->addr < addr + 4)
			return false;
	}
	return stack_read(follow->stack, addr, value_ret);
}

static void load(struct follow *follow, unsigned reg, uint64_t addr)
{
	uint64_t value;

	if (read_word(follow, addr, &value))
		set(follow, reg, value);
	else
		lose(follow, reg);
}

static bool push(struct follow *follow, int reg)
{
	uint64_t sp;

	if (!get(follow, ESP, &sp) || follow->is_16_bit || !store(follow, sp - 4, 4, reg))
		return false;
	set(follow, ESP, sp - 4);
	return true;
}

static bool pop(struct follow *follow, unsigned reg)
{
	uint64_t sp;

	if (!get(follow, ESP, &sp) || follow->is_16_bit || reg == ESP)
		return false;
	load(follow, reg, sp);
	set(follow, ESP, sp + 4);
	return true;
}

static bool jump(struct follow *follow, int32_t distance)
{
	if (distance < 0 ? follow->at < -(size_t)distance
			 : follow->size - follow->at <= (size_t)distance)
		return false;
	follow->at += (size_t)distance;
	return true;
}

/* Moves that restore registers, and arithmetic on the stack pointer. false: none of these. */
static bool move(struct follow *follow, const struct instruction *instruction)
{
	unsigned reg = instruction->modrm >> 3 & 7, rm = instruction->modrm & 7;
	bool is_register = instruction->modrm >= 0xc0;
	uint64_t base;

	if (follow->is_16_bit)
		return false;
	switch (instruction->opcode) {
	case 0x89:
		if (is_register)
			copy(follow, rm, reg);
		return true;
	case 0x8b:
	case 0x8d:
		if (is_register)
			copy(follow, reg, rm);
		else if (!operand_address(follow, instruction, &base))
			lose(follow, reg);
		else if (instruction->opcode == 0x8d)
			set(follow, reg, base);
		else
			load(follow, reg, base);
		return true;
	case 0x81:
	case 0x83:
		if (reg == 7)
			return true; /* cmp */
		if (!is_register || (reg != 0 && reg != 5) || !get(follow, rm, &base))
			return false;
		set(follow, rm,
		    base + (uint64_t)(reg == 0 ? (int64_t)instruction->immediate
					       : -(int64_t)instruction->immediate));
		return true;
	default:
		return false;
	}
}

static void exchange(struct follow *follow, unsigned a, unsigned b)
{
	uint64_t value;
	bool has_value = get(follow, a, &value);

	copy(follow, a, b);
	if (has_value)
		set(follow, b, value);
	else
		lose(follow, b);
}

static bool call(struct follow *follow, int32_t distance)
{
	size_t next = follow->at;

	if (!jump(follow, distance) ||
	    !code_i386_is_pc_thunk(follow->code + follow->at, follow->size - follow->at))
		return false;
	lose(follow, follow->code[follow->at + 1] >> 3 & 7);
	follow->at = next;
	return true;
}

/* One instruction on. false: it can't be followed. */
static bool step(struct follow *follow, bool *is_return)
{
	struct instruction instruction;
	unsigned form;

	*is_return = false;
	if (!fetch_instruction(follow, &instruction, &form) ||
	    !note_store(follow, &instruction, form))
		return false;
	const uint8_t opcode = instruction.opcode;
	const bool is_conditional = instruction.is_0f
					    ? opcode >= 0x80 && opcode < 0x90
					    : (opcode >= 0x70 && opcode < 0x80) || opcode == 0xe3;
	follow->has_branches |= is_conditional;
	if (is_conditional)
		return !follow->takes_branches || instruction.immediate < 0 ||
		       jump(follow, instruction.immediate);
	if (!instruction.is_0f) {
		switch (opcode) {
		case 0x50 ... 0x57:
			return push(follow, opcode & 7);
		case 0x68:
		case 0x6a:
			return push(follow, -1);
		case 0x58 ... 0x5f:
			return pop(follow, opcode & 7);
		case 0x91 ... 0x97:
			exchange(follow, EAX, opcode & 7);
			return regs_have(follow->regs, ESP);
		case 0xc2: /* what it pops more is the caller's, who pushed it */
		case 0xc3:
			*is_return = true;
			return true;
		case 0xc9:
			copy(follow, ESP, EBP);
			return pop(follow, EBP);
		case 0xe8:
			return call(follow, instruction.immediate);
		case 0xe9:
		case 0xeb:
			return !follow->is_16_bit && jump(follow, instruction.immediate);
		case 0xff:
			if ((instruction.modrm >> 3 & 7) == 6)
				return push(follow, -1);
			if ((instruction.modrm >> 3 & 7) > 1)
				return false;
			break;
		default:
			break;
		}
		if (move(follow, &instruction))
			return regs_have(follow->regs, ESP);
	}
	lose_written(follow, &instruction, form);
	return regs_have(follow->regs, ESP);
}

static bool follow_to_return(struct follow *follow)
{
	for (int n_steps = 0; n_steps < STEPS_MAX; n_steps++) {
		bool is_return;

		if (!step(follow, &is_return))
			return false;
		if (is_return)
			return true;
	}
	return false;
}

bool code_i386_return(const uint8_t *code, size_t size, size_t at, const struct stack_copy *stack,
		      struct regs *regs, bool *is_certain_ret)
{
	const struct regs start = *regs;

	for (int takes_branches = 0; takes_branches <= 1; takes_branches++) {
		struct follow follow = {
			.code = code,
			.size = size,
			.at = at,
			.stack = stack,
			.regs = regs,
			.takes_branches = takes_branches,
		};
		uint64_t sp;

		*regs = start;
		if (!follow_to_return(&follow) || !get(&follow, ESP, &sp) ||
		    !read_word(&follow, sp, &regs->pc))
			continue;
		set(&follow, ESP, sp + 4);
		regs_set(regs, EIP, regs->pc);
		*is_certain_ret = !follow.has_branches;
		return true;
	}
	return false;
}

bool code_i386_is_pc_thunk(const uint8_t *code, size_t size)
{
	return size >= 4 && code[0] == 0x8b && (code[1] & 0xc7) == 0x04 && code[2] == 0x24 &&
	       code[3] == 0xc3;
}
