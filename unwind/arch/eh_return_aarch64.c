#include "unwind/arch/eh_return_aarch64.h"

#include <dwarf.h>
#include <string.h>

#include "unwind/rules/made_rule.h"

enum { X4 = 4, X19 = 19, X29 = 29, X30, SP };

#define MOV_X4_X0    0xaa0003e4u
#define STR_X1_X29_8 0xf90007a1u
#define ADD_SP_SP_X4 0x8b2463ffu
#define RET          0xd65f03c0u
#define INSTALLING   7u  /* instructions, from `mov` to `str` at most */
#define EPILOGUE     24u /* instructions */
#define WORD         8

/* Beyond the end: 0, which does not encode an instruction. */
static uint32_t instruction_at(const uint8_t *code, size_t size, size_t at)
{
	uint32_t insn = 0;

	if (at < size && size - at >= sizeof(insn))
		memcpy(&insn, code + at, sizeof(insn));
	return insn;
}

static bool is_bl(uint32_t insn)
{
	return (insn & 0xfc000000u) == 0x94000000u;
}

static bool is_b(uint32_t insn)
{
	return (insn & 0xfc000000u) == 0x14000000u;
}

/* `mov` of the result, `ldp` of x or d registers and `ldr` of x registers from the stack,
 * `add sp, sp, #...`. */
static bool is_restoring(uint32_t insn)
{
	const bool is_result = (insn & 0x7fe0ffffu) == 0x2a0003e0u;

	return is_result || (insn & 0xffc003e0u) == 0xa94003e0u ||
	       (insn & 0xffc003e0u) == 0x6d4003e0u || (insn & 0xffc003e0u) == 0xf94003e0u ||
	       (insn & 0xff8003ffu) == 0x910003ffu;
}

bool aarch64_is_installing(const uint8_t *code, size_t size, size_t at)
{
	const size_t insn = sizeof(uint32_t), here = (at + 1) & ~(insn - 1);
	size_t mov = here;

	while (instruction_at(code, size, mov) != MOV_X4_X0) {
		if (mov < insn || here - mov == INSTALLING * insn)
			return false;
		mov -= insn;
	}
	if (mov < insn || !is_bl(instruction_at(code, size, mov - insn)))
		return false;
	for (size_t i = (here - mov) / insn; i < INSTALLING; i++)
		if (instruction_at(code, size, mov + i * insn) == STR_X1_X29_8)
			return true;
	return false;
}

/* Whether an epilogue that adds x4 to the stack pointer is what follows. */
static bool is_in_epilogue(const uint8_t *code, size_t size, size_t at)
{
	const size_t insn = sizeof(uint32_t);

	for (size_t i = 0; i < EPILOGUE; i++, at += insn) {
		uint32_t here = instruction_at(code, size, at);

		if (here == ADD_SP_SP_X4)
			return instruction_at(code, size, at + insn) == RET;
		if (!is_restoring(here))
			return false;
	}
	return false;
}

static void add_sum(struct made_rule *made, uint8_t reg, int64_t value)
{
	made_rule_op(made, (struct expression_op){ DW_OP_bregx, reg, value });
}

/* Like @cfi, with x4 added to the CFA. */
static void make(struct made_rule *made, const struct rule *cfi)
{
	const int64_t offset = (int64_t)cfi->cfa_offset * WORD;

	add_sum(made, cfi->cfa_reg, offset);
	add_sum(made, X4, 0);
	made_rule_op(made, (struct expression_op){ .atom = DW_OP_plus });
	made->rule.cfa = made_rule_since(made, 0);
	/* What comes next may be a landing pad or, where x4 is 0, a return address. */
	made->rule.is_switch = true;
	for (unsigned i = 0; i <= X30 - X19; i++) {
		const unsigned reg = X19 + i;
		const size_t from = made->n_ops;

		made->rule.regs[reg].how = cfi->slots[i] ? SAVED_AT : SAVED_SAME;
		if (!cfi->slots[i])
			continue;
		add_sum(made, cfi->cfa_reg, offset - (int64_t)cfi->slots[i] * WORD);
		made->rule.regs[reg].expression = made_rule_since(made, from);
	}
}

struct made_rule *aarch64_make_rule(const uint8_t *code, size_t size, size_t at,
				    const struct rule *cfi)
{
	const size_t insn = sizeof(uint32_t);
	const bool is_jump = at >= insn && is_b(instruction_at(code, size, at)) &&
			     instruction_at(code, size, at - insn) == STR_X1_X29_8;

	if (at % insn || cfi->kind != RULE_CFA_REGISTER ||
	    (!is_jump && !is_in_epilogue(code, size, at)))
		return NULL;
	for (size_t i = 0; i < RULE_SLOTS; i++)
		if (cfi->slots[i] == SLOT_UNDEFINED)
			return NULL;
	struct made_rule *made = made_rule_create();
	if (made)
		make(made, cfi);
	return made;
}
