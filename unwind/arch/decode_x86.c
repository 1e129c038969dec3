/* A table contains the operands of each opcode and the registers that it writes. The few relevant
 * opcodes are decoded in detail. */
#include "unwind/arch/decode_x86.h"

#define SIZE_MAX_X86 15

/* By the processor's number. */
enum { AX, CX, DX, BX, SP, BP, SI, DI, R11 = 11 };

/* The properties of an opcode in the tables. */
enum {
	M = 1 << 0,    /* a ModRM byte */
	I8 = 1 << 1,   /* an immediate byte */
	I16 = 1 << 2,  /* two more */
	IZ = 1 << 3,   /* 4 bytes, or 2 with an operand size prefix */
	WR = 1 << 4,   /* writes ModRM's register */
	WM = 1 << 5,   /* writes ModRM's other operand */
	B = 1 << 6,    /* operands are bytes */
	WA = 1 << 7,   /* writes rax */
	WD = 1 << 8,   /* writes rdx */
	WC = 1 << 9,   /* writes rcx */
	WSI = 1 << 10, /* writes rsi, and rcx if repeated */
	WDI = 1 << 14, /* writes rdi, and rcx if repeated */
	O64 = 1 << 11, /* only in 64-bit code */
	O32 = 1 << 12, /* only in 32-bit code */
	X = 1 << 13,   /* undefined, privileged, or nothing that programs use: the flow ends */
};

#define ALU(base)                                                              \
	[base] = M | WM | B, [(base) + 1] = M | WM, [(base) + 2] = M | WR | B, \
	[(base) + 3] = M | WR, [(base) + 4] = I8 | WA, [(base) + 5] = IZ | WA

static const uint16_t one_byte[256] = {
	ALU(0x00),
	ALU(0x08),
	ALU(0x10),
	ALU(0x18),
	ALU(0x20),
	ALU(0x28),
	ALU(0x30),
	[0x06 ... 0x07] = X,
	[0x0e] = X,
	[0x16 ... 0x17] = X,
	[0x1e ... 0x1f] = X,
	[0x27] = O32 | WA,
	[0x2f] = O32 | WA,
	[0x37] = O32 | WA,
	[0x3f] = O32 | WA,
	[0x38] = M | B,
	[0x39] = M,
	[0x3a] = M | B,
	[0x3b] = M,
	[0x3c] = I8,
	[0x3d] = IZ,
	[0x60 ... 0x62] = X,
	[0x63] = M | WR | O64,
	[0x68] = IZ,
	[0x69] = M | IZ | WR,
	[0x6a] = I8,
	[0x6b] = M | I8 | WR,
	[0x6c ... 0x6f] = X,
	[0x80] = M | I8 | WM | B,
	[0x81] = M | IZ | WM,
	[0x82] = M | I8 | WM | B | O32,
	[0x83] = M | I8 | WM,
	[0x84] = M | B,
	[0x85] = M,
	[0x86] = M | WM | WR | B,
	[0x87] = M | WM | WR,
	[0x88] = M | WM | B,
	[0x89] = M | WM,
	[0x8a] = M | WR | B,
	[0x8b] = M | WR,
	[0x8c] = M | WM,
	[0x8d] = M | WR,
	[0x8e] = M,
	[0x8f] = M | WM,
	[0x98] = WA,
	[0x99] = WD,
	[0x9a] = X,
	[0x9f] = WA,
	[0xa4 ... 0xa7] = WSI | WDI,
	[0xa8] = I8,
	[0xa9] = IZ,
	[0xaa ... 0xab] = WDI,
	[0xac ... 0xad] = WSI | WA,
	[0xae ... 0xaf] = WDI,
	[0xc0] = M | I8 | WM | B,
	[0xc1] = M | I8 | WM,
	[0xc2] = I16,
	[0xc4 ... 0xc5] = M | WR | O32,
	[0xc6] = M | I8 | WM | B,
	[0xc7] = M | IZ | WM,
	[0xc8] = I16 | I8,
	[0xca ... 0xcb] = X,
	[0xcc] = X,
	[0xcd] = I8 | WA,
	[0xce] = O32,
	[0xcf] = X,
	[0xd0] = M | WM | B,
	[0xd1] = M | WM,
	[0xd2] = M | WM | B,
	[0xd3] = M | WM,
	[0xd4 ... 0xd5] = I8 | WA | O32,
	[0xd6] = X,
	[0xd7] = WA,
	[0xd8 ... 0xde] = M,
	[0xdf] = M | WA,
	[0xe4 ... 0xe7] = X,
	[0xea] = X,
	[0xec ... 0xef] = X,
	[0xf1] = X,
	[0xf4] = X,
	[0xf6] = M | WM | B,
	[0xf7] = M | WM,
	[0xfa ... 0xfb] = X,
	[0xfe] = M | WM | B,
	[0xff] = M | WM,
};

static const uint16_t map_0f[256] = {
	[0x00] = X,
	[0x01] = M | WA | WD | WC,
	[0x02 ... 0x03] = M | WR,
	[0x04] = X,
	[0x05] = WA | WC,
	[0x06 ... 0x0c] = X,
	[0x0d] = M,
	[0x0f] = M | I8,
	[0x10 ... 0x1f] = M,
	[0x20 ... 0x27] = X,
	[0x28 ... 0x2f] = M,
	[0x30] = X,
	[0x31] = WA | WD,
	[0x32] = X,
	[0x33] = WA | WD,
	[0x34 ... 0x37] = X,
	[0x39] = X,
	[0x3b ... 0x3f] = X,
	[0x40 ... 0x4f] = M | WR,
	[0x50] = M | WR,
	[0x51 ... 0x6f] = M,
	[0x70 ... 0x73] = M | I8,
	[0x74 ... 0x76] = M,
	[0x78 ... 0x79] = X,
	[0x7a ... 0x7b] = X,
	[0x7c ... 0x7d] = M,
	[0x7e] = M | WM,
	[0x7f] = M,
	[0x90 ... 0x9f] = M | WM | B,
	[0xa2] = WA | WC | WD,
	[0xa3] = M,
	[0xa4] = M | I8 | WM,
	[0xa5] = M | WM,
	[0xa6 ... 0xa7] = X,
	[0xaa] = X,
	[0xab] = M | WM,
	[0xac] = M | I8 | WM,
	[0xad] = M | WM,
	[0xae] = M,
	[0xaf] = M | WR,
	[0xb0] = M | WM | WA | B,
	[0xb1] = M | WM | WA,
	[0xb2] = M | WR,
	[0xb3] = M | WM,
	[0xb4 ... 0xb8] = M | WR,
	[0xb9] = X,
	[0xba] = M | I8 | WM,
	[0xbb] = M | WM,
	[0xbc ... 0xbf] = M | WR,
	[0xc0] = M | WM | WR | B,
	[0xc1] = M | WM | WR,
	[0xc2] = M | I8,
	[0xc3] = M,
	[0xc4] = M | I8,
	[0xc5] = M | I8 | WR,
	[0xc6] = M | I8,
	[0xc7] = M | WM | WA | WD,
	[0xd0 ... 0xd6] = M,
	[0xd7] = M | WR,
	[0xd8 ... 0xfe] = M,
	[0xff] = X,
};

struct decoder {
	const uint8_t *code;
	size_t size, at;
	bool is_64;
	uint8_t word;
	/* Prefixes. */
	bool operand_16, address_prefix, is_vex;
	bool is_elsewhere; /* memory relative to fs or gs */
	uint8_t repeat;    /* F2, F3 or 0 */
	uint8_t rex;       /* W R X B, also of VEX and EVEX */
	bool has_rex;
	uint8_t vex_reg; /* a second source, or a destination */
	uint8_t map;     /* 0: one byte; 1: 0F; 2: 0F 38; 3: 0F 3A; 5, 6: EVEX's */
	uint8_t opcode;
	uint16_t what;
	/* ModRM. */
	uint8_t mod, reg, rm;
	uint8_t base; /* of a memory operand without an index; else MACHINE_NO_REG */
	bool has_index, is_absolute;
	uint8_t scale; /* of the index: a power of 2 */
	int32_t displacement, immediate;
	struct machine_instruction *ret;
};

static uint8_t dwarf_number(const struct decoder *decoder, unsigned reg)
{
	static const uint8_t numbers[8] = { 0, 2, 1, 3, 7, 6, 4, 5 };

	return decoder->is_64 && reg < 8 ? numbers[reg] : (uint8_t)reg;
}

static void clobber(struct decoder *decoder, unsigned reg)
{
	decoder->ret->clobbers |= 1ull << dwarf_number(decoder, reg);
}

static void add_op(struct decoder *decoder, enum machine_op_kind kind, unsigned to, unsigned from,
		   int32_t value)
{
	decoder->ret->ops[decoder->ret->n_ops++] = (struct machine_op){
		.kind = (uint8_t)kind,
		.to = dwarf_number(decoder, to),
		.from = from == MACHINE_NO_REG ? MACHINE_NO_REG : dwarf_number(decoder, from),
		.value = value,
	};
}

static void push(struct decoder *decoder, unsigned reg)
{
	add_op(decoder, OP_STORE, SP, reg, -decoder->word);
	add_op(decoder, OP_SET, SP, SP, -decoder->word);
}

/* Whether the memory operand is a word at a register and a displacement. */
static bool is_followed_word(const struct decoder *decoder)
{
	return decoder->mod != 3 && decoder->base != MACHINE_NO_REG && !decoder->has_index &&
	       !decoder->operand_16;
}

static bool next_byte(struct decoder *decoder, uint8_t *byte_ret)
{
	if (decoder->at >= decoder->size || decoder->at >= SIZE_MAX_X86)
		return false;
	*byte_ret = decoder->code[decoder->at++];
	return true;
}

/* A signed number of 1, 2 or 4 bytes. */
static bool next_number(struct decoder *decoder, size_t size, int32_t *ret)
{
	uint32_t value = 0;
	uint8_t byte;

	for (size_t i = 0; i < size; i++) {
		if (!next_byte(decoder, &byte))
			return false;
		value |= (uint32_t)byte << (8 * i);
	}
	unsigned unused = 32 - 8 * (unsigned)size;
	*ret = (int32_t)(value << unused) >> unused;
	return true;
}

/* Up to the opcode's first byte. */
static bool read_prefixes(struct decoder *decoder, uint8_t *byte_ret)
{
	uint8_t byte;

	while (next_byte(decoder, &byte)) {
		switch (byte) {
		case 0x66:
			decoder->operand_16 = true;
			break;
		case 0x67:
			decoder->address_prefix = true;
			break;
		case 0xf2:
		case 0xf3:
			decoder->repeat = byte;
			break;
		case 0x64:
		case 0x65:
			decoder->is_elsewhere = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0:
			break;
		default:
			if (!decoder->is_64 || (byte & 0xf0) != 0x40) {
				*byte_ret = byte;
				decoder->operand_16 &= !(decoder->rex & 8);
				return true;
			}
			decoder->has_rex = true;
			decoder->rex = byte & 15;
			continue;
		}
		/* Only right before the opcode does REX count. */
		decoder->has_rex = false;
		decoder->rex = 0;
	}
	return false;
}

/* W, and the inverted registers, of VEX's and EVEX's middle byte. */
static void read_vex_middle(struct decoder *decoder, uint8_t byte)
{
	static const uint8_t repeats[4] = { 0, 0, 0xf3, 0xf2 };

	decoder->vex_reg = ~byte >> 3 & 15;
	decoder->repeat = repeats[byte & 3];
	decoder->operand_16 = (byte & 3) == 1;
}

static bool read_vex(struct decoder *decoder, uint8_t first)
{
	uint8_t bytes[3] = { 0 };
	size_t n = first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3;

	for (size_t i = 0; i < n; i++)
		if (!next_byte(decoder, &bytes[i]))
			return false;
	decoder->is_vex = true;
	decoder->has_rex = true;
	decoder->rex = (uint8_t)(~bytes[0] >> 5 & 4);
	decoder->map = 1;
	if (n > 1) {
		decoder->rex = (uint8_t)((~bytes[0] >> 5 & 7) | (bytes[1] >> 4 & 8));
		decoder->map = bytes[0] & (n == 2 ? 31 : 7);
	}
	read_vex_middle(decoder, bytes[n == 1 ? 0 : 1]);
	if (!decoder->is_64) {
		decoder->rex = 0;
		decoder->vex_reg &= 7;
	}
	return next_byte(decoder, &decoder->opcode);
}

static bool read_opcode(struct decoder *decoder)
{
	uint8_t byte;

	if (!read_prefixes(decoder, &byte))
		return false;
	bool may_be_vex = decoder->is_64 ||
			  (decoder->at < decoder->size && decoder->code[decoder->at] >= 0xc0);
	if ((byte == 0xc4 || byte == 0xc5 || byte == 0x62) && may_be_vex)
		return read_vex(decoder, byte);
	decoder->opcode = byte;
	if (byte != 0x0f)
		return true;
	decoder->map = 1;
	if (!next_byte(decoder, &decoder->opcode))
		return false;
	if (decoder->opcode != 0x38 && decoder->opcode != 0x3a)
		return true;
	decoder->map = decoder->opcode == 0x38 ? 2 : 3;
	return next_byte(decoder, &decoder->opcode);
}

static bool read_sib(struct decoder *decoder)
{
	uint8_t sib;

	if (!next_byte(decoder, &sib))
		return false;
	decoder->has_index = (sib >> 3 & 7) != SP || (decoder->rex & 2);
	decoder->scale = sib >> 6;
	decoder->base = (uint8_t)((sib & 7) | (decoder->rex & 1) << 3);
	if (decoder->mod == 0 && (sib & 7) == BP) {
		decoder->base = MACHINE_NO_REG;
		decoder->is_absolute = !decoder->has_index;
		return next_number(decoder, 4, &decoder->displacement);
	}
	return true;
}

static bool read_modrm(struct decoder *decoder)
{
	uint8_t modrm;

	if (!next_byte(decoder, &modrm))
		return false;
	decoder->mod = modrm >> 6;
	decoder->reg = (uint8_t)((modrm >> 3 & 7) | (decoder->rex & 4) << 1);
	decoder->rm = (uint8_t)((modrm & 7) | (decoder->rex & 1) << 3);
	decoder->base = MACHINE_NO_REG;
	if (decoder->mod == 3)
		return true;
	if (decoder->address_prefix && !decoder->is_64)
		return false; /* 16-bit addresses: not in the code of processes */
	if ((modrm & 7) == SP) {
		if (!read_sib(decoder))
			return false;
	} else if (decoder->mod == 0 && (modrm & 7) == BP) {
		decoder->is_absolute = true; /* relative to rip in 64-bit code */
		return next_number(decoder, 4, &decoder->displacement);
	} else {
		decoder->base = decoder->rm;
	}
	if (decoder->address_prefix || decoder->is_elsewhere)
		decoder->base = MACHINE_NO_REG;
	if (decoder->mod == 0)
		return true;
	return next_number(decoder, decoder->mod == 1 ? 1 : 4, &decoder->displacement);
}

/* The general registers that VEX and EVEX instructions write. Their other destinations are vectors.
 */
static uint16_t vex_what(const struct decoder *decoder)
{
	uint8_t op = decoder->opcode;

	if (decoder->map == 2)
		return op == 0xf2 || op == 0xf5 || op == 0xf6 || op == 0xf7 ? M | WR : M;
	if (decoder->map == 3)
		return op >= 0x14 && op <= 0x17 ? M | I8 | WM : op == 0xf0 ? M | I8 | WR : M | I8;
	if (decoder->map != 1 && decoder->map != 5 && decoder->map != 6)
		return X;
	if (decoder->map == 1 && op == 0x77)
		return 0;
	bool has_immediate = decoder->map == 1 && ((op >= 0x70 && op <= 0x73) || op == 0xc2 ||
						   (op >= 0xc4 && op <= 0xc6));
	uint16_t what = has_immediate ? M | I8 : M;
	if (op == 0x2c || op == 0x2d || op == 0x50 || op == 0x78 || op == 0x79 || op == 0x93 ||
	    op == 0xc5 || op == 0xd7)
		what |= WR;
	return op == 0x7e && !decoder->repeat ? what | WM : what;
}

static uint16_t what_of(const struct decoder *decoder)
{
	uint8_t op = decoder->opcode;

	if (decoder->is_vex)
		return vex_what(decoder);
	switch (decoder->map) {
	case 0:
		return one_byte[op];
	case 1:
		return map_0f[op];
	case 2:
		return op == 0xf0 || op == 0xf1 || op == 0xf6 ? M | WR : M;
	default:
		return op >= 0x14 && op <= 0x17 ? M | I8 | WM : M | I8;
	}
}

static bool has_immediate(const struct decoder *decoder)
{
	/* TEST is the only one of its group that has one. */
	bool is_group3 = decoder->map == 0 && !decoder->is_vex && (decoder->opcode & 0xfe) == 0xf6;

	return (decoder->what & (I8 | I16 | IZ)) || (is_group3 && (decoder->reg & 7) < 2);
}

static bool read_immediates(struct decoder *decoder)
{
	int32_t rest;

	if (!has_immediate(decoder))
		return true;
	if ((decoder->what & I16) && !next_number(decoder, 2, &decoder->immediate))
		return false;
	if (decoder->what & I16)
		return !(decoder->what & I8) || next_number(decoder, 1, &rest);
	bool is_byte = (decoder->what & I8) || (decoder->what & B);
	return next_number(decoder, is_byte ? 1 : decoder->operand_16 ? 2 : 4, &decoder->immediate);
}

/* Without REX, byte registers 4 to 7 are the second bytes of the first four. */
static void clobber_operand(struct decoder *decoder, unsigned reg)
{
	bool is_second = (decoder->what & B) && !decoder->has_rex && reg >= 4 && reg < 8;

	clobber(decoder, is_second ? reg - 4 : reg);
}

static void clobber_what(struct decoder *decoder)
{
	uint16_t what = decoder->what;

	if (what & WR)
		clobber_operand(decoder, decoder->reg);
	if ((what & WM) && decoder->mod == 3)
		clobber_operand(decoder, decoder->rm);
	else if ((what & WM) && decoder->base != MACHINE_NO_REG && !decoder->has_index)
		add_op(decoder, OP_STORE, decoder->base, MACHINE_NO_REG, decoder->displacement);
	if (what & WA)
		clobber(decoder, AX);
	if (what & WC)
		clobber(decoder, CX);
	if (what & WD)
		clobber(decoder, DX);
	if (what & WSI)
		clobber(decoder, SI);
	if (what & WDI)
		clobber(decoder, DI);
	if ((what & (WSI | WDI)) && decoder->repeat)
		clobber(decoder, CX);
	/* BLSR and its like, and MULX. */
	if (decoder->is_vex && decoder->map == 2 &&
	    (decoder->opcode == 0xf3 || decoder->opcode == 0xf6))
		clobber(decoder, decoder->vex_reg);
}

static bool is_word_sized(const struct decoder *decoder)
{
	return decoder->is_64 ? decoder->rex & 8 : !decoder->operand_16;
}

/* Replaces what the table says by something exact. */
static void set_op(struct decoder *decoder, enum machine_op_kind kind, unsigned to, unsigned from,
		   int32_t value)
{
	decoder->ret->clobbers = 0;
	decoder->ret->n_ops = 0;
	add_op(decoder, kind, to, from, value);
}

static void decode_move(struct decoder *decoder, bool to_rm)
{
	bool is_direct = decoder->base != MACHINE_NO_REG && !decoder->has_index;

	if (!is_word_sized(decoder))
		return;
	if (decoder->mod == 3)
		set_op(decoder, OP_SET, to_rm ? decoder->rm : decoder->reg,
		       to_rm ? decoder->reg : decoder->rm, 0);
	else if (is_direct && to_rm)
		set_op(decoder, OP_STORE, decoder->base, decoder->reg, decoder->displacement);
	else if (is_direct)
		set_op(decoder, OP_LOAD, decoder->reg, decoder->base, decoder->displacement);
}

/* ADD of a word of memory: of an entry of a table, if an index picks it. */
static void decode_add(struct decoder *decoder)
{
	const uint8_t words = 2;

	if (!decoder->is_64 && is_word_sized(decoder) && decoder->has_index &&
	    decoder->scale == words && decoder->base != MACHINE_NO_REG)
		set_op(decoder, OP_ENTRY, decoder->reg, decoder->base, decoder->displacement);
}

/* ADD, OR, ADC, SBB, AND, SUB, XOR, CMP with an immediate. */
static void decode_group1(struct decoder *decoder)
{
	unsigned operation = decoder->reg & 7;

	if (operation == 7) {
		decoder->ret->clobbers = 0;
		decoder->ret->n_ops = 0;
	} else if ((operation == 0 || operation == 5) && decoder->mod == 3 &&
		   decoder->opcode != 0x80 && is_word_sized(decoder) &&
		   decoder->immediate != INT32_MIN) {
		set_op(decoder, OP_SET, decoder->rm, decoder->rm,
		       operation ? -decoder->immediate : decoder->immediate);
	}
}

/* TEST, TEST, NOT, NEG; MUL, IMUL, DIV, IDIV. */
static void decode_group3(struct decoder *decoder)
{
	unsigned operation = decoder->reg & 7;

	if (operation == 2 || operation == 3)
		return;
	decoder->ret->clobbers = 0;
	decoder->ret->n_ops = 0;
	if (operation >= 4) {
		clobber(decoder, AX);
		clobber(decoder, DX);
	}
}

/* INC, DEC, CALL, far CALL, JMP, far JMP, PUSH. */
static void push_rm(struct decoder *decoder)
{
	if (decoder->mod == 3) {
		push(decoder, decoder->rm);
	} else if (is_followed_word(decoder)) {
		add_op(decoder, OP_PUSH, SP, decoder->base, decoder->displacement);
		add_op(decoder, OP_SET, SP, SP, -decoder->word);
	} else {
		push(decoder, MACHINE_NO_REG);
	}
}

static void decode_group5(struct decoder *decoder)
{
	unsigned operation = decoder->reg & 7;

	if (operation < 2)
		return;
	decoder->ret->clobbers = 0;
	decoder->ret->n_ops = 0;
	if (operation == 2)
		decoder->ret->flow = FLOW_CALL;
	else if (operation == 6)
		push_rm(decoder);
	else if (operation != 4)
		decoder->ret->flow = FLOW_STOP;
	else if (decoder->has_index)
		decoder->ret->flow = FLOW_SWITCH;
	else
		decoder->ret->flow = decoder->is_absolute ? FLOW_TAIL_CALL : FLOW_INDIRECT;
	if (decoder->ret->flow == FLOW_INDIRECT && decoder->mod == 3)
		decoder->ret->jumps_to = dwarf_number(decoder, decoder->rm);
}

static void decode_pop_rm(struct decoder *decoder)
{
	if (decoder->reg & 7) {
		decoder->ret->flow = FLOW_STOP; /* XOP */
		return;
	}
	decoder->ret->n_ops = 0;
	if (decoder->mod == 3) {
		decoder->ret->clobbers = 0;
		add_op(decoder, OP_LOAD, decoder->rm, SP, 0);
	}
	add_op(decoder, OP_SET, SP, SP, decoder->word);
	/* The stack pointer has moved when the address is computed. */
	if (is_followed_word(decoder))
		add_op(decoder, OP_POP, decoder->base, SP, decoder->displacement);
}

static void decode_enter(struct decoder *decoder)
{
	int32_t size = (uint16_t)decoder->immediate;

	if (decoder->code[decoder->at - 1]) {
		decoder->ret->flow = FLOW_STOP; /* nested: nobody's */
		return;
	}
	push(decoder, BP);
	add_op(decoder, OP_SET, BP, SP, 0);
	add_op(decoder, OP_SET, SP, SP, -size);
}

static void decode_leave(struct decoder *decoder)
{
	add_op(decoder, OP_SET, SP, BP, 0);
	add_op(decoder, OP_LOAD, BP, SP, 0);
	add_op(decoder, OP_SET, SP, SP, decoder->word);
}

static void decode_return(struct decoder *decoder)
{
	int32_t popped = decoder->opcode == 0xc2 ? (uint16_t)decoder->immediate : 0;

	add_op(decoder, OP_SET, SP, SP, decoder->word + popped);
	decoder->ret->flow = FLOW_RETURN;
}

static bool decode_jump(struct decoder *decoder, enum machine_flow flow, size_t size)
{
	int32_t distance;

	if (decoder->operand_16 && size != 1)
		return false; /* processors do not agree on its size */
	if (!next_number(decoder, size, &distance))
		return false;
	decoder->ret->flow = (uint8_t)flow;
	decoder->ret->target = (int64_t)decoder->at + distance;
	/* `call next; next: pop` reads the pc. */
	if (flow == FLOW_CALL && distance == 0) {
		decoder->ret->flow = FLOW_NEXT;
		push(decoder, MACHINE_NO_REG);
	}
	return true;
}

/* LOOP, JRCXZ, conditional jumps, JMP and CALL. *@ok_ret: they are complete. */
static bool is_jump(struct decoder *decoder, bool *ok_ret)
{
	uint8_t op = decoder->opcode;

	if (decoder->is_vex || decoder->map > 1)
		return false;
	bool is_far = decoder->map == 1 && (op & 0xf0) == 0x80;
	bool is_loop = decoder->map == 0 && op >= 0xe0 && op <= 0xe3;
	if (is_loop)
		clobber(decoder, CX);
	if (is_far || is_loop || (decoder->map == 0 && (op & 0xf0) == 0x70))
		*ok_ret = decode_jump(decoder, FLOW_BRANCH, is_far ? 4 : 1);
	else if (decoder->map == 0 && op == 0xe8)
		*ok_ret = decode_jump(decoder, FLOW_CALL, 4);
	else if (decoder->map == 0 && (op == 0xe9 || op == 0xeb))
		*ok_ret = decode_jump(decoder, FLOW_JUMP, op == 0xe9 ? 4 : 1);
	else
		return false;
	return true;
}

/* XCHG with AX, which is NOP if it is that itself. */
static void decode_exchange(struct decoder *decoder, unsigned reg)
{
	if (is_word_sized(decoder)) {
		add_op(decoder, OP_SWAP, AX, reg, 0);
	} else if (reg != AX) {
		clobber(decoder, AX);
		clobber(decoder, reg);
	}
}

/* Opcodes that hold a register's number: PUSH, POP, XCHG, MOV; in 32-bit code INC, DEC. */
static bool decode_with_reg(struct decoder *decoder, bool *ok_ret)
{
	uint8_t op = decoder->opcode;
	unsigned reg = (op & 7u) | (decoder->rex & 1u) << 3;
	int32_t ignored;

	*ok_ret = true;
	if ((op & 0xf0) == 0x40) {
		clobber(decoder, reg);
	} else if ((op & 0xf8) == 0x50) {
		push(decoder, reg);
	} else if ((op & 0xf8) == 0x58) {
		add_op(decoder, OP_SET, SP, SP, decoder->word);
		add_op(decoder, OP_LOAD, reg, SP, -decoder->word);
	} else if ((op & 0xf8) == 0x90) {
		decode_exchange(decoder, reg);
	} else if ((op & 0xf8) == 0xb0) {
		decoder->what = B;
		clobber_operand(decoder, reg);
		*ok_ret = next_number(decoder, 1, &ignored);
	} else if ((op & 0xf8) == 0xb8) {
		clobber(decoder, reg);
		*ok_ret = next_number(decoder, decoder->operand_16 ? 2 : 4, &ignored) &&
			  (!(decoder->rex & 8) || next_number(decoder, 4, &ignored));
	} else {
		return false;
	}
	return true;
}

/* MOV between rax and an address of full size. */
static bool decode_far_move(struct decoder *decoder)
{
	size_t size = decoder->is_64 && !decoder->address_prefix ? 8 : 4;
	int32_t ignored;

	if (decoder->opcode < 0xa2)
		clobber(decoder, AX);
	for (; size; size -= 4)
		if (!next_number(decoder, 4, &ignored))
			return false;
	return true;
}

static void decode_one_byte(struct decoder *decoder)
{
	switch (decoder->opcode) {
	case 0x03:
		decode_add(decoder);
		break;
	case 0x68:
	case 0x6a:
	case 0x9c: /* PUSHF */
		push(decoder, MACHINE_NO_REG);
		break;
	case 0x80 ... 0x83:
		decode_group1(decoder);
		break;
	case 0x89:
	case 0x8b:
		decode_move(decoder, decoder->opcode == 0x89);
		break;
	case 0x8d:
		if (is_word_sized(decoder) && decoder->base != MACHINE_NO_REG &&
		    !decoder->has_index)
			set_op(decoder, OP_SET, decoder->reg, decoder->base, decoder->displacement);
		break;
	case 0x8f:
		decode_pop_rm(decoder);
		break;
	case 0x9d: /* POPF */
		add_op(decoder, OP_SET, SP, SP, decoder->word);
		break;
	case 0xc2:
	case 0xc3:
		decode_return(decoder);
		break;
	case 0xc8:
		decode_enter(decoder);
		break;
	case 0xc9:
		decode_leave(decoder);
		break;
	case 0xf6:
	case 0xf7:
		decode_group3(decoder);
		break;
	case 0xff:
		decode_group5(decoder);
		break;
	default:
		break;
	}
}

static void decode_two_byte(struct decoder *decoder)
{
	switch (decoder->opcode) {
	case 0x05: /* SYSCALL */
		if (decoder->is_64)
			clobber(decoder, R11);
		break;
	case 0x1e: /* RDSSP */
		if (decoder->repeat == 0xf3 && decoder->mod == 3 && (decoder->reg & 7) == 1)
			clobber(decoder, decoder->rm);
		break;
	case 0x2c:
	case 0x2d: /* to a general register, or an MMX register */
		if (decoder->repeat)
			clobber(decoder, decoder->reg);
		break;
	case 0x7e: /* to a general register, or between vectors */
		if (decoder->repeat)
			decoder->ret->clobbers = 0;
		break;
	case 0xa0: /* PUSH of fs and gs, POP */
	case 0xa8:
		push(decoder, MACHINE_NO_REG);
		break;
	case 0xa1:
	case 0xa9:
		add_op(decoder, OP_SET, SP, SP, decoder->word);
		break;
	case 0xa2: /* CPUID */
		clobber(decoder, BX);
		break;
	case 0xae: /* RDFSBASE, RDGSBASE */
		if (decoder->repeat == 0xf3 && decoder->mod == 3 && (decoder->reg & 7) < 2)
			clobber(decoder, decoder->rm);
		break;
	case 0xba: /* BT writes nothing */
		if ((decoder->reg & 7) == 4)
			decoder->ret->clobbers = 0;
		break;
	case 0xc8 ... 0xcf: /* BSWAP */
		clobber(decoder, (decoder->opcode & 7u) | (decoder->rex & 1u) << 3);
		break;
	default:
		break;
	}
}

static bool is_end(const struct decoder *decoder)
{
	if (decoder->map == 0 && decoder->address_prefix && !decoder->is_64)
		return true;
	/* Pushes and pops of half a word. */
	if (decoder->map == 0 && decoder->operand_16 &&
	    ((decoder->opcode & 0xf0) == 0x50 || decoder->opcode == 0xc9 ||
	     decoder->opcode == 0x9c || decoder->opcode == 0x9d || decoder->opcode == 0x68 ||
	     decoder->opcode == 0x6a))
		return true;
	return (decoder->what & X) || ((decoder->what & O64) && !decoder->is_64) ||
	       ((decoder->what & O32) && decoder->is_64);
}

static bool decode_rest(struct decoder *decoder)
{
	bool ok;

	if (is_jump(decoder, &ok))
		return ok;
	decoder->what = what_of(decoder);
	if (is_end(decoder)) {
		decoder->ret->flow = FLOW_STOP;
		return true;
	}
	if (decoder->map == 0 && !decoder->is_vex) {
		if (decode_with_reg(decoder, &ok))
			return ok;
		if (decoder->opcode >= 0xa0 && decoder->opcode <= 0xa3)
			return decode_far_move(decoder);
	}
	if (((decoder->what & M) && !read_modrm(decoder)) || !read_immediates(decoder))
		return false;
	clobber_what(decoder);
	if (decoder->map == 0 && !decoder->is_vex)
		decode_one_byte(decoder);
	else if (decoder->map == 1 && !decoder->is_vex)
		decode_two_byte(decoder);
	return true;
}

static bool decode(const uint8_t *code, size_t size, bool is_64, struct machine_instruction *ret)
{
	struct decoder decoder = { .code = code,
				   .size = size,
				   .is_64 = is_64,
				   .word = is_64 ? 8 : 4,
				   .base = MACHINE_NO_REG,
				   .ret = ret };

	*ret = (struct machine_instruction){ .flow = FLOW_NEXT, .jumps_to = MACHINE_NO_REG };
	if (!read_opcode(&decoder) || !decode_rest(&decoder))
		return false;
	ret->size = (uint8_t)decoder.at;
	return true;
}

bool x86_64_decode(const uint8_t *code, size_t size, struct machine_instruction *ret)
{
	return decode(code, size, true, ret);
}

bool i386_decode(const uint8_t *code, size_t size, struct machine_instruction *ret)
{
	return decode(code, size, false, ret);
}
