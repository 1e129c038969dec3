#include "report/code/entry_code.h"

#include <errno.h>

#include "report/code/capstone_decoder.h"

#define MAX_INSTRUCTIONS 200
#define SP               7

/* By DWARF number. */
static const struct {
	uint16_t names[4]; /* of 8, 4, 2 and 1 bytes */
} registers[ENTRY_REGISTERS] = {
	{ { X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL } },
	{ { X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL } },
	{ { X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL } },
	{ { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL } },
	{ { X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL } },
	{ { X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL } },
	{ { X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL } },
	{ { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL } },
	{ { X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B } },
	{ { X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B } },
	{ { X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B } },
	{ { X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B } },
	{ { X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B } },
	{ { X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B } },
	{ { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B } },
	{ { X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B } },
};

/* The DWARF number of a register or of its low part; -1: another one. */
static int number_of(unsigned name)
{
	for (int i = 0; i < ENTRY_REGISTERS; i++)
		for (unsigned size = 0; size < 4; size++)
			if (registers[i].names[size] == name)
				return i;
	switch (name) {
	case X86_REG_AH:
		return 0;
	case X86_REG_DH:
		return 1;
	case X86_REG_CH:
		return 2;
	case X86_REG_BH:
		return 3;
	default:
		return -1;
	}
}

static bool is_high_byte(unsigned name)
{
	return name == X86_REG_AH || name == X86_REG_BH || name == X86_REG_CH || name == X86_REG_DH;
}

static bool is_sp_relative(const struct entry_register *reg)
{
	return reg->is_known && reg->reg == SP && reg->n_bytes == 8;
}

/* The address of an operand, from the stack pointer at entry on. */
static bool find_address(const struct entry_code *code, const x86_op_mem *mem, int64_t *at_ret)
{
	const int base = number_of(mem->base);

	if (base < 0 || mem->index != X86_REG_INVALID || mem->segment != X86_REG_INVALID ||
	    !is_sp_relative(&code->registers[base]))
		return false;
	return !__builtin_add_overflow(code->registers[base].offset, mem->disp, at_ret);
}

static void add_store(struct entry_code *code, struct entry_store store)
{
	if (code->n_stores < ENTRY_STORES_MAX)
		code->stores[code->n_stores++] = store;
}

/* What an operand that is read has, in its low @size bytes. */
static struct entry_register read_operand(const struct entry_code *code, const cs_x86_op *from)
{
	const int number = from->type == X86_OP_REG ? number_of(from->reg) : -1;

	if (number < 0 || is_high_byte(from->reg))
		return (struct entry_register){ .is_known = false };
	struct entry_register value = code->registers[number];
	if (from->size < value.n_bytes) {
		value.n_bytes = from->size;
		/* A part of a sum is not followed. */
		value.is_known &= !value.offset;
	}
	return value;
}

static bool is_vector(const cs_x86_op *from)
{
	return from->type == X86_OP_REG &&
	       ((from->reg >= X86_REG_XMM0 && from->reg <= X86_REG_XMM31) ||
		(from->reg >= X86_REG_YMM0 && from->reg <= X86_REG_YMM31) ||
		(from->reg >= X86_REG_ST0 && from->reg <= X86_REG_ST7));
}

static void store(struct entry_code *code, const cs_x86_op *to, const cs_x86_op *from)
{
	const struct entry_register value = read_operand(code, from);
	struct entry_store store = {
		.size = to->size,
		.is_known = value.is_known && !value.offset && value.n_bytes >= to->size,
		.is_vector = is_vector(from),
		.reg = value.reg,
	};

	if (find_address(code, &to->mem, &store.at))
		add_store(code, store);
}

/* A store of a register of a vector, by any of the instructions that move them. */
static bool is_vector_store(const cs_x86 *x86)
{
	return x86->op_count == 2 && x86->operands[0].type == X86_OP_MEM &&
	       is_vector(&x86->operands[1]);
}

static void forget_written(const struct capstone_decoder *decoder, struct entry_code *code)
{
	cs_regs read, written;
	uint8_t n_read = 0, n_written = 0;

	if (decoder->library.cs_regs_access(decoder->handle, decoder->instruction, read, &n_read,
					    written, &n_written) != CS_ERR_OK)
		n_written = 0;
	for (uint8_t i = 0; i < n_written; i++) {
		const int number = number_of(written[i]);

		if (number >= 0)
			code->registers[number].is_known = false;
	}
}

static void push(struct entry_code *code, const cs_x86_op *from)
{
	struct entry_register *sp = &code->registers[SP];
	const struct entry_register value = read_operand(code, from);

	if (!is_sp_relative(sp))
		return;
	sp->offset -= 8;
	add_store(code, (struct entry_store){ .at = sp->offset,
					      .size = 8,
					      .is_known = value.is_known && !value.offset &&
							  value.n_bytes == 8,
					      .reg = value.reg });
}

/* Adds to a register of 8 bytes. false: another sum. */
static bool add(struct entry_code *code, const cs_x86 *x86, int sign)
{
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];
	const int number = to->type == X86_OP_REG && to->size == 8 ? number_of(to->reg) : -1;

	if (number < 0 || from->type != X86_OP_IMM || from->imm > INT32_MAX ||
	    from->imm < INT32_MIN)
		return false;
	code->registers[number].offset += sign * from->imm;
	return true;
}

/* What was last stored at a place that is read. */
static struct entry_register load(const struct entry_code *code, const cs_x86_op *from)
{
	struct entry_register value = { .is_known = false };
	int64_t at;

	if (!find_address(code, &from->mem, &at))
		return value;
	for (size_t i = code->n_stores; i-- > 0;) {
		const struct entry_store *store = &code->stores[i];

		if (store->at + store->size <= at || store->at >= at + from->size)
			continue;
		value.is_known = store->is_known && store->at == at && from->size <= store->size;
		value.reg = store->reg;
		value.n_bytes = from->size;
		break;
	}
	return value;
}

static bool move(struct entry_code *code, const cs_x86 *x86)
{
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];

	if (to->type == X86_OP_MEM) {
		store(code, to, from);
		return true;
	}
	const int number = to->type == X86_OP_REG ? number_of(to->reg) : -1;
	/* What is above a part of 1 or 2 bytes stays; nothing reads that here. */
	if (number < 0 || is_high_byte(to->reg) || from->type == X86_OP_IMM)
		return false;
	code->registers[number] =
		from->type == X86_OP_MEM ? load(code, from) : read_operand(code, from);
	return true;
}

static bool load_address(struct entry_code *code, const cs_x86 *x86)
{
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];
	const int number = to->size == 8 ? number_of(to->reg) : -1;
	int64_t at;

	if (number < 0 || !find_address(code, &from->mem, &at))
		return false;
	code->registers[number] =
		(struct entry_register){ .is_known = true, .reg = SP, .n_bytes = 8, .offset = at };
	return true;
}

/* "and $1, %al" of a bool, which has no other values. */
static bool is_bool_mask(const cs_x86 *x86)
{
	return x86->operands[0].type == X86_OP_REG && x86->operands[0].size == 1 &&
	       x86->operands[1].type == X86_OP_IMM && x86->operands[1].imm == 1;
}

/* false: what it writes is not followed. */
static bool execute(struct entry_code *code, const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;

	switch (instruction->id) {
	case X86_INS_ENDBR64:
	case X86_INS_NOP:
		return true;
	case X86_INS_PUSH:
		push(code, &x86->operands[0]);
		return true;
	case X86_INS_MOV:
		return move(code, x86);
	case X86_INS_LEA:
		return load_address(code, x86);
	case X86_INS_SUB:
		return add(code, x86, -1);
	case X86_INS_ADD:
		return add(code, x86, 1);
	case X86_INS_AND:
		return is_bool_mask(x86);
	default:
		if (!is_vector_store(x86))
			return false;
		store(code, &x86->operands[0], &x86->operands[1]);
		return true;
	}
}

/* Up to where the function leaves its frame again, if it is that short. */
static bool goes_on(const struct capstone_decoder *decoder)
{
	static const unsigned ends[] = { CS_GRP_JUMP, CS_GRP_CALL, CS_GRP_RET, CS_GRP_INT };
	const cs_insn *instruction = decoder->instruction;
	const cs_x86_op *to = &instruction->detail->x86.operands[0];

	if (instruction->id == X86_INS_POP || instruction->id == X86_INS_LEAVE ||
	    (instruction->id == X86_INS_ADD && to->type == X86_OP_REG && to->reg == X86_REG_RSP))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (decoder->library.cs_insn_group(decoder->handle, instruction, ends[i]))
			return false;
	}
	return true;
}

static void follow(const struct capstone_decoder *decoder, const uint8_t *bytes, size_t size,
		   struct entry_code *code)
{
	uint64_t addr = 0;

	for (unsigned i = 0; i < MAX_INSTRUCTIONS; i++) {
		if (!decoder->library.cs_disasm_iter(decoder->handle, &bytes, &size, &addr,
						     decoder->instruction) ||
		    !goes_on(decoder))
			return;
		if (!execute(code, decoder->instruction))
			forget_written(decoder, code);
	}
}

int entry_code_follow(const uint8_t *code, size_t size, struct entry_code *ret)
{
	struct capstone_decoder decoder;

	ret->n_stores = 0;
	for (uint8_t i = 0; i < ENTRY_REGISTERS; i++)
		ret->registers[i] =
			(struct entry_register){ .is_known = true, .reg = i, .n_bytes = 8 };
	const int err = capstone_decoder_open(&decoder, CS_ARCH_X86, CS_MODE_64);
	if (err)
		return err;
	follow(&decoder, code, size, ret);
	capstone_decoder_close(&decoder);
	return 0;
}

enum entry_stored entry_code_find(const struct entry_code *code, int64_t at, size_t size,
				  unsigned *reg_ret, unsigned *byte_ret)
{
	for (size_t i = 0; i < code->n_stores; i++) {
		const struct entry_store *store = &code->stores[i];

		if (store->at + store->size <= at || store->at >= at + (int64_t)size)
			continue;
		if (store->is_vector)
			return ENTRY_STORED_VECTOR;
		if (!store->is_known || store->at > at ||
		    store->at + store->size < at + (int64_t)size)
			return ENTRY_NOT_STORED;
		*reg_ret = store->reg;
		*byte_ret = (unsigned)(at - store->at);
		return ENTRY_STORED;
	}
	return ENTRY_NOT_STORED;
}
