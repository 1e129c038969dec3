/* By the groups of the manual's top-level table, bits 28 to 25. */
#include "unwind/arch/decode_aarch64.h"

enum {
	X0 = 0,
	X16 = 16,
	X17,
	X30 = 30,
	SP, /* in an instruction also the zero register, depending on the operand */
};

struct decoder {
	uint32_t insn;
	struct machine_instruction *ret;
};

static uint32_t read_insn(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

/* Bits @high to @low. */
static unsigned field(const struct decoder *decoder, unsigned high, unsigned low)
{
	return decoder->insn >> low & ((1u << (high - low + 1)) - 1);
}

static int64_t signed_field(const struct decoder *decoder, unsigned high, unsigned low)
{
	return (int64_t)((uint64_t)decoder->insn << (63 - high)) >> (63 - high + low);
}

static unsigned rd(const struct decoder *decoder)
{
	return field(decoder, 4, 0);
}

static unsigned rn(const struct decoder *decoder)
{
	return field(decoder, 9, 5);
}

static unsigned rt2(const struct decoder *decoder)
{
	return field(decoder, 14, 10);
}

static void clobber(struct decoder *decoder, unsigned reg)
{
	decoder->ret->clobbers |= 1ull << reg;
}

/* 31 stands for zero. */
static void clobber_unless_zero(struct decoder *decoder, unsigned reg)
{
	if (reg != SP)
		clobber(decoder, reg);
}

static void add_op(struct decoder *decoder, enum machine_op_kind kind, unsigned to, unsigned from,
		   int64_t value)
{
	decoder->ret->ops[decoder->ret->n_ops++] =
		(struct machine_op){ (uint8_t)kind, (uint8_t)to, (uint8_t)from, (int32_t)value };
}

static void jump(struct decoder *decoder, enum machine_flow flow, int64_t words)
{
	decoder->ret->flow = (uint8_t)flow;
	decoder->ret->target = words * 4;
}

/* Register 31 is the stack pointer in Rd and Rn, except in Rd of instructions that set flags. */
static void add_immediate(struct decoder *decoder)
{
	bool is_64_bit = field(decoder, 31, 31), is_sub = field(decoder, 30, 30);
	bool sets_flags = field(decoder, 29, 29);
	int64_t value = (int64_t)field(decoder, 21, 10) << (field(decoder, 22, 22) ? 12 : 0);

	if (sets_flags)
		clobber_unless_zero(decoder, rd(decoder));
	else if (is_64_bit)
		add_op(decoder, OP_SET, rd(decoder), rn(decoder), is_sub ? -value : value);
	else
		clobber(decoder, rd(decoder));
}

static void process_immediate(struct decoder *decoder)
{
	bool is_logical = field(decoder, 25, 23) == 4, sets_flags = field(decoder, 30, 29) == 3;

	if (field(decoder, 25, 23) == 2)
		add_immediate(decoder);
	else if (field(decoder, 25, 23) == 3 || (is_logical && !sets_flags))
		clobber(decoder, rd(decoder)); /* 31 is the stack pointer */
	else
		clobber_unless_zero(decoder, rd(decoder));
}

static void process_registers(struct decoder *decoder)
{
	uint32_t insn = decoder->insn;
	bool is_mov = (insn & 0xffe0ffe0) == 0xaa0003e0;
	bool is_signature = (insn & 0xffff0000) == 0xdac10000;
	bool is_condition = (insn >> 21 & 0xff) == 0xd2 || (insn & 0x1fe07c00) == 0x1a000400 ||
			    (insn & 0x1fe03c00) == 0x1a000800;
	bool is_extended_add = (insn & 0x3f200000) == 0x0b200000;

	if (is_mov && rd(decoder) != SP && field(decoder, 20, 16) != SP)
		add_op(decoder, OP_SET, rd(decoder), field(decoder, 20, 16), 0);
	else if (is_extended_add)
		clobber(decoder, rd(decoder)); /* 31 is the stack pointer */
	else if (!is_condition && !is_signature)
		clobber_unless_zero(decoder, rd(decoder));
}

/* br, blr, ret and their variants that authenticate the address first. */
static void branch_to_register(struct decoder *decoder)
{
	unsigned opc = field(decoder, 24, 21), target = rn(decoder);
	enum machine_flow flow = FLOW_STOP;

	/* What may land at "bti c", as functions begin, is x16 and x17 alone; switches are not. */
	if (opc == 0 || opc == 8)
		flow = target == X16 || target == X17 ? FLOW_TAIL_CALL : FLOW_INDIRECT;
	else if (opc == 1 || opc == 9)
		flow = FLOW_CALL;
	else if (opc == 2)
		flow = target == X30 || target == SP ? FLOW_RETURN : FLOW_INDIRECT;
	decoder->ret->flow = (uint8_t)flow;
	if (flow == FLOW_INDIRECT)
		decoder->ret->jumps_to = (uint8_t)target;
}

static void call_kernel(struct decoder *decoder)
{
	bool is_svc = (decoder->insn & 0xffe0001f) == 0xd4000001;

	if (is_svc)
		clobber(decoder, X0);
	else
		decoder->ret->flow = FLOW_STOP;
}

static void branch_or_system(struct decoder *decoder)
{
	uint32_t insn = decoder->insn;

	if (insn >> 26 == 0x05)
		jump(decoder, FLOW_JUMP, signed_field(decoder, 25, 0));
	else if (insn >> 26 == 0x25)
		jump(decoder, FLOW_CALL, signed_field(decoder, 25, 0));
	else if (insn >> 24 == 0x54 || (insn >> 25 & 0x3f) == 0x1a)
		jump(decoder, FLOW_BRANCH, signed_field(decoder, 23, 5));
	else if ((insn >> 25 & 0x3f) == 0x1b)
		jump(decoder, FLOW_BRANCH, signed_field(decoder, 18, 5));
	else if (insn >> 25 == 0x6b)
		branch_to_register(decoder);
	else if (insn >> 24 == 0xd4)
		call_kernel(decoder);
	else if (insn >> 22 == 0x354 && field(decoder, 21, 21))
		clobber_unless_zero(decoder, rd(decoder)); /* mrs, sysl */
}

enum index_mode {
	INDEX_OFFSET,
	INDEX_POST,
	INDEX_PRE,
};

/* Two words of @size bytes at Rn + @offset: general registers of 8 bytes, or what is not followed.
 */
static void access_pair(struct decoder *decoder, enum index_mode mode, int64_t offset, int size)
{
	bool is_vector = field(decoder, 26, 26), is_load = field(decoder, 22, 22);
	bool is_followed = size == 8 && !is_vector;
	unsigned base = rn(decoder), regs[] = { rd(decoder), rt2(decoder) };
	int64_t at = mode == INDEX_OFFSET ? offset : 0;
	/* A base register that is loaded itself comes last. */
	unsigned first = is_load && regs[0] == base;

	if (mode == INDEX_PRE)
		add_op(decoder, OP_SET, base, base, offset);
	for (unsigned i = 0; i < 2; i++) {
		unsigned which = i ^ first, reg = regs[which];

		if (!is_load)
			add_op(decoder, OP_STORE, base,
			       is_followed && reg != SP ? reg : MACHINE_NO_REG, at + which * size);
		else if (is_followed && reg != SP)
			add_op(decoder, OP_LOAD, reg, base, at + which * size);
		else if (!is_vector)
			clobber_unless_zero(decoder, reg);
	}
	if (mode == INDEX_POST)
		add_op(decoder, OP_SET, base, base, offset);
}

static bool load_or_store_pair(struct decoder *decoder)
{
	unsigned opc = field(decoder, 31, 30), mode = field(decoder, 24, 23);
	bool is_vector = field(decoder, 26, 26);
	int size = is_vector ? 4 << opc : opc == 2 ? 8 : 4;
	static const uint8_t modes[] = { INDEX_OFFSET, INDEX_POST, INDEX_OFFSET, INDEX_PRE };

	if (opc == 3)
		return false;
	access_pair(decoder, (enum index_mode)modes[mode], signed_field(decoder, 21, 15) * size,
		    size);
	return true;
}

/* @offset: from Rn; where it is in a register nothing can be followed. */
static void access_one(struct decoder *decoder, enum index_mode mode, int64_t offset, bool is_known)
{
	unsigned base = rn(decoder), reg = rd(decoder), opc = field(decoder, 23, 22);
	bool is_vector = field(decoder, 26, 26), is_64_bit = field(decoder, 31, 30) == 3;
	bool is_load = opc != 0, is_prefetch = is_64_bit && opc == 2;
	int64_t at = mode == INDEX_OFFSET ? offset : 0;

	if (mode == INDEX_PRE)
		add_op(decoder, OP_SET, base, base, offset);
	if (is_vector || is_prefetch) {
		/* No register that is followed, and no slot of one. */
	} else if (!is_load && is_known) {
		add_op(decoder, OP_STORE, base, is_64_bit && reg != SP ? reg : MACHINE_NO_REG, at);
	} else if (is_load && is_known && is_64_bit && reg != SP) {
		add_op(decoder, OP_LOAD, reg, base, at);
	} else if (is_load) {
		clobber_unless_zero(decoder, reg);
	}
	if (mode == INDEX_POST)
		add_op(decoder, OP_SET, base, base, offset);
}

static void load_or_store(struct decoder *decoder)
{
	static const uint8_t modes[] = { INDEX_OFFSET, INDEX_POST, INDEX_OFFSET, INDEX_PRE };
	bool is_vector_of_16 = field(decoder, 26, 26) && field(decoder, 23, 23);
	unsigned scale = is_vector_of_16 ? 4 : field(decoder, 31, 30);

	if (field(decoder, 24, 24)) {
		access_one(decoder, INDEX_OFFSET, (int64_t)field(decoder, 21, 10) << scale, true);
	} else if (!field(decoder, 21, 21)) {
		access_one(decoder, (enum index_mode)modes[field(decoder, 11, 10)],
			   signed_field(decoder, 20, 12), true);
	} else if (field(decoder, 11, 10) == 2) {
		access_one(decoder, INDEX_OFFSET, 0, false);
	} else {
		/* Atomic operations; loads that authenticate, and may write their base back. */
		clobber_unless_zero(decoder, rd(decoder));
		if (field(decoder, 10, 10) && field(decoder, 11, 11))
			clobber(decoder, rn(decoder));
	}
}

/* Exclusive and ordered accesses, compare and swap, copies, tags, structures of vectors. */
static void access_otherwise(struct decoder *decoder)
{
	bool is_vector = field(decoder, 26, 26), is_literal = field(decoder, 29, 27) == 3;

	if (is_vector) {
		/* Structures may write their base back. */
		if (!is_literal && field(decoder, 23, 23))
			clobber(decoder, rn(decoder));
		return;
	}
	clobber_unless_zero(decoder, rd(decoder));
	if (is_literal && !field(decoder, 24, 24))
		return;
	clobber_unless_zero(decoder, field(decoder, 20, 16));
	if (is_literal)
		clobber(decoder, rn(decoder));
	else
		clobber_unless_zero(decoder, rt2(decoder));
}

static bool access_memory(struct decoder *decoder)
{
	switch (field(decoder, 29, 27)) {
	case 5:
		return load_or_store_pair(decoder);
	case 7:
		load_or_store(decoder);
		return true;
	default:
		access_otherwise(decoder);
		return true;
	}
}

/* The vector unit writes general registers only in conversions and moves from a vector. */
static void process_vectors(struct decoder *decoder)
{
	uint32_t insn = decoder->insn;
	bool is_conversion = (insn & 0x5f20fc00) == 0x1e200000 || (insn & 0x5f200000) == 0x1e000000;
	bool is_move = (insn & 0xbfe0ec00) == 0x0e002c00;

	if (is_conversion || is_move)
		clobber_unless_zero(decoder, rd(decoder));
}

/* Scalable vectors: their size is not known, so a stack pointer moved by it is lost. */
static void process_scalable(struct decoder *decoder)
{
	bool is_address = (decoder->insn & 0xff20f800) == 0x04205000;

	if (is_address)
		clobber(decoder, rd(decoder));
	else
		clobber_unless_zero(decoder, rd(decoder));
}

bool aarch64_decode(const uint8_t *code, size_t size, struct machine_instruction *ret)
{
	if (size < 4)
		return false;
	struct decoder decoder = { .insn = read_insn(code), .ret = ret };

	*ret = (struct machine_instruction){ .size = 4, .jumps_to = MACHINE_NO_REG };
	switch (field(&decoder, 28, 25)) {
	case 0x8:
	case 0x9:
		process_immediate(&decoder);
		return true;
	case 0xa:
	case 0xb:
		branch_or_system(&decoder);
		return true;
	case 0x4:
	case 0x6:
	case 0xc:
	case 0xe:
		return access_memory(&decoder);
	case 0x5:
	case 0xd:
		process_registers(&decoder);
		return true;
	case 0x7:
	case 0xf:
		process_vectors(&decoder);
		return true;
	case 0x2:
		process_scalable(&decoder);
		return true;
	case 0x0:
		ret->flow = FLOW_STOP;
		return decoder.insn >> 16 == 0; /* udf */
	default:
		return false;
	}
}

/* `bti c`, the signing of a return address, or the store of one. */
static bool is_entry(uint32_t insn)
{
	return insn == 0xd503245f || insn == 0xd503233f || insn == 0xd503237f ||
	       (insn & 0xffc07fff) == 0xa9807bfd;
}

bool aarch64_is_function_start(const uint8_t *code, size_t size, uint64_t misalignment)
{
	const uint32_t nop = 0xd503201f;
	size_t at = 0;

	while (size - at >= 4 && read_insn(code + at) == nop)
		at += 4;
	if (size - at < 4)
		return false;
	uint32_t insn = read_insn(code + at);
	bool is_padding = at && (misalignment + at) % 16 == 0;
	return insn == 0 || is_entry(insn) || (is_padding && (insn & 0xff8003ff) == 0xd10003ff);
}

void aarch64_mark_function_starts(const uint8_t *code, size_t size, uint64_t *bits)
{
	for (size_t at = 0; at + 4 <= size; at += 4) {
		struct decoder decoder = { .insn = read_insn(code + at) };

		if (decoder.insn >> 26 != 0x25)
			continue;
		uint64_t target = at + (uint64_t)(signed_field(&decoder, 25, 0) * 4);
		if (target < size)
			bits[target / 64] |= 1ull << target % 64;
	}
}

bool aarch64_clears_frame_pointer(const uint8_t *code, size_t size)
{
	const uint32_t mov_x29_0 = 0xd280001d;

	for (size_t at = size % 4; at + 4 <= size; at += 4)
		if (read_insn(code + at) == mov_x29_0)
			return true;
	return false;
}
