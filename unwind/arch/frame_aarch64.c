/* Straight lines of code: to a return, and from wherever control comes from. */
#include "unwind/arch/frame_aarch64.h"

#include "unwind/arch/decode_aarch64.h"

#define FIRST_SAVED 19
#define N_SAVED     12 /* x19 to x30, as in a rule */
#define X29         29
#define X30         30
#define SP          31
#define WORD        8
/* Pairs of all saved registers, vector registers, and a few more instructions. */
#define LINE_MAX 24

static_assert(N_SAVED == RULE_SLOTS, "a rule has all saved registers");

enum where {
	IN_REGISTER,
	IN_MEMORY,
	NOWHERE, /* its register has another value */
};

/* What a line of code has done. Offsets are from @base as it was at the line's start. */
struct line {
	uint8_t base;
	int64_t sp;
	struct {
		enum where where;
		int64_t offset;
	} saved[N_SAVED];
};

static bool is_saved(unsigned reg)
{
	return reg >= FIRST_SAVED && reg < FIRST_SAVED + N_SAVED;
}

static bool decode(const uint8_t *code, size_t size, size_t at, struct machine_instruction *ret)
{
	return at < size && aarch64_decode(code + at, size - at, ret);
}

/* false: the stack pointer can't be followed. */
static bool set(struct line *line, const struct machine_op *op)
{
	if (op->to == SP && op->from == SP) {
		line->sp += op->value;
	} else if (op->to == SP) {
		if (op->from != X29 || line->saved[X29 - FIRST_SAVED].where != IN_REGISTER)
			return false;
		line->base = X29;
		line->sp = op->value;
	} else if (is_saved(op->to)) {
		line->saved[op->to - FIRST_SAVED].where = NOWHERE;
	}
	return true;
}

static bool clobber(struct line *line, uint64_t regs)
{
	for (unsigned i = 0; i < N_SAVED; i++)
		if (regs >> (FIRST_SAVED + i) & 1)
			line->saved[i].where = NOWHERE;
	return !(regs >> SP & 1);
}

/* Loads give back what callers had. */
static bool unwind_ops(struct line *line, const struct machine_instruction *what)
{
	if (!clobber(line, what->clobbers))
		return false;
	for (size_t i = 0; i < what->n_ops; i++) {
		const struct machine_op *op = &what->ops[i];

		if (op->kind == OP_SET && !set(line, op))
			return false;
		if (op->kind != OP_LOAD || !is_saved(op->to))
			continue;
		line->saved[op->to - FIRST_SAVED].where = op->from == SP ? IN_MEMORY : NOWHERE;
		line->saved[op->to - FIRST_SAVED].offset = line->sp + op->value;
	}
	return true;
}

/* Stores keep what callers had, as long as it is there. */
static bool wind_ops(struct line *line, const struct machine_instruction *what)
{
	for (size_t i = 0; i < what->n_ops; i++) {
		const struct machine_op *op = &what->ops[i];

		if (op->kind == OP_STORE && op->to == SP && is_saved(op->from) &&
		    line->saved[op->from - FIRST_SAVED].where == IN_REGISTER) {
			line->saved[op->from - FIRST_SAVED].where = IN_MEMORY;
			line->saved[op->from - FIRST_SAVED].offset = line->sp + op->value;
		} else if (op->to == SP && op->kind == OP_SET) {
			if (op->from != SP)
				return false;
			line->sp += op->value;
		}
	}
	return !(what->clobbers >> SP & 1);
}

/* @cfa, and where the base register points when the rule is applied, from the same place. */
static bool to_rule(const struct line *line, int64_t cfa, int64_t base, struct rule *rule_ret)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };
	int64_t words = (cfa - base) / WORD;

	if ((cfa - base) % WORD || words < 0 || words > INT16_MAX)
		return false;
	rule.cfa_reg = line->base & 31;
	rule.cfa_offset = (int16_t)words;
	for (unsigned i = 0; i < N_SAVED; i++) {
		int64_t below = cfa - line->saved[i].offset;

		if (line->saved[i].where == NOWHERE)
			return false;
		if (line->saved[i].where == IN_REGISTER)
			continue;
		if (below % WORD || below <= 0 || below / WORD >= SLOT_UNDEFINED)
			return false;
		rule.slots[i] = (uint8_t)(below / WORD);
	}
	*rule_ret = rule;
	return true;
}

/* Whether the instruction before gave back x30, or checked its signature: the last that may. */
static bool is_behind_epilogue(const uint8_t *code, size_t size, size_t at)
{
	static const uint8_t autiasp[] = { 0xbf, 0x23, 0x03, 0xd5 };
	struct machine_instruction before;
	bool loads = false;

	if (at < 4 || !decode(code, size, at - 4, &before))
		return false;
	for (size_t i = 0; i < before.n_ops; i++)
		loads |= before.ops[i].kind == OP_LOAD && before.ops[i].to == X30 &&
			 before.ops[i].from == SP;
	bool pops = loads && before.n_ops && before.ops[before.n_ops - 1].kind == OP_SET;
	return pops || !memcmp(code + at - 4, autiasp, sizeof(autiasp));
}

bool frame_aarch64_epilogue(const uint8_t *code, size_t size, size_t at, struct rule *rule_ret)
{
	struct line line = { .base = SP };
	struct machine_instruction what;
	bool is_left = is_behind_epilogue(code, size, at);

	for (size_t i = 0; i < LINE_MAX && decode(code, size, at, &what); i++, at += 4) {
		if (!unwind_ops(&line, &what))
			return false;
		is_left |= line.saved[X30 - FIRST_SAVED].where == IN_MEMORY;
		bool is_tail_call =
			is_left && (what.flow == FLOW_JUMP || what.flow == FLOW_TAIL_CALL);
		if (what.flow == FLOW_RETURN || is_tail_call)
			return to_rule(&line, line.sp, 0, rule_ret);
		if (what.flow != FLOW_NEXT)
			return false;
	}
	return false;
}

static bool says_nothing_pushed(const struct rule *rule)
{
	for (size_t i = 0; i < RULE_SLOTS; i++)
		if (rule->slots[i] != SLOT_SAME)
			return false;
	return rule->kind == RULE_CFA_REGISTER && rule->cfa_reg == SP && rule->cfa_offset == 0;
}

static bool pops(const struct machine_instruction *what)
{
	for (size_t i = 0; i < what->n_ops; i++)
		if (what->ops[i].kind == OP_SET && what->ops[i].to == SP &&
		    (what->ops[i].from != SP || what->ops[i].value > 0))
			return true;
	return false;
}

/* Where the straight line that leads to @at begins. */
static size_t line_start(const uint8_t *code, size_t size, size_t at)
{
	struct machine_instruction what;

	for (size_t i = 0; i < LINE_MAX && at >= 4; i++, at -= 4)
		if (!decode(code, size, at - 4, &what) || what.flow != FLOW_NEXT || pops(&what))
			break;
	return at;
}

void frame_aarch64_prologue(const uint8_t *code, size_t size, size_t at, struct rule *rule)
{
	struct line line = { .base = SP };
	struct machine_instruction what;

	if (!says_nothing_pushed(rule))
		return;
	for (size_t i = line_start(code, size, at); i < at; i += 4)
		if (!decode(code, size, i, &what) || !wind_ops(&line, &what))
			return;
	if (line.sp < 0)
		to_rule(&line, 0, line.sp, rule);
}
