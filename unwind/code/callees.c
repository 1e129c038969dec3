#include "unwind/code/callees.h"

#include "cct/base/hash.h"
#include "unwind/rules/machine_instruction.h"
#include "unwind/rules/regs.h"

/* How far a callee is looked into, for whether it returns: instructions, branches, calls deep. */
#define CALLEE_INSTRUCTIONS_MAX 512
#define CALLEE_BRANCHES_MAX     32
#define CALLEE_DEPTH_MAX        3

/* The search for an end of a callee that returns. */
struct callee_search {
	const struct code *code;
	size_t n_left;  /* instructions */
	size_t n_depth; /* calls */
};

static bool callee_returns(struct callee_search *search, uint64_t pc);

/* Follows a callee from @pc to an end. true: it returns, or nothing can be said. */
static bool callee_path_returns(struct callee_search *search, uint64_t pc, uint64_t *branches,
				size_t *n_branches)
{
	const struct code *code = search->code;
	struct machine_instruction what;

	while (true) {
		uint64_t at = pc - code->start;
		if (!search->n_left || at >= code->size ||
		    !code->arch->decode(code->bytes + at, code->size - at, &what))
			return true;
		search->n_left--;
		uint64_t target = pc + (uint64_t)what.target;
		pc += what.size;
		switch ((enum machine_flow)what.flow) {
		case FLOW_NEXT:
			break;
		case FLOW_CALL:
			if (what.target && !callee_returns(search, target))
				return false;
			break;
		case FLOW_JUMP:
			pc = target;
			break;
		case FLOW_BRANCH:
			if (*n_branches == CALLEE_BRANCHES_MAX)
				return true;
			branches[(*n_branches)++] = target;
			break;
		case FLOW_STOP:
			return false;
		case FLOW_RETURN:
		case FLOW_TAIL_CALL:
		case FLOW_INDIRECT:
		case FLOW_SWITCH:
			return true;
		}
	}
}

static bool callee_returns(struct callee_search *search, uint64_t pc)
{
	uint64_t branches[CALLEE_BRANCHES_MAX] = { pc };
	size_t n_branches = 1;
	bool returns = false;

	if (search->n_depth == CALLEE_DEPTH_MAX)
		return true;
	search->n_depth++;
	while (n_branches && !returns)
		returns =
			callee_path_returns(search, branches[--n_branches], branches, &n_branches);
	search->n_depth--;
	return returns;
}

bool callees_may_return(struct callees *callees, const struct code *code, uint64_t pc)
{
	struct callee_search search = { .code = code, .n_left = CALLEE_INSTRUCTIONS_MAX };
	struct callee *callee = &callees->slots[hash_to_bits(pc, CALLEES_BITS)];

	if (pc - code->start >= code->size)
		return true;
	const uint8_t *bytes = code->bytes + (pc - code->start);
	if (callee->code != bytes)
		*callee = (struct callee){ bytes, callee_returns(&search, pc) };
	return callee->may_return;
}
