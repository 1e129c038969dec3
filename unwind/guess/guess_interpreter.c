#include "unwind/guess/guess_interpreter.h"

/* LuaJIT's traces have up to 256 words of 4 bytes for spilled values, and two saved registers. */
#define SPILLED_MAX     1040
#define FRAME_SIZE_MAX  256
#define FRAME_ALIGNMENT 16

/* The interpreter's frame by its return address. */
struct interpreter_frame {
	uint64_t sp;      /* of the interpreter */
	struct rule rule; /* of all its code */
};

enum word {
	NO_RETURN_ADDRESS,
	OTHER_CALL, /* or JIT code, where anything may be */
	DIRECT_CALL,
};

/* *@function_ret: the called function of a direct call. */
static enum word look_at(const struct process_code *process, uint64_t word, uint64_t *function_ret)
{
	const struct mapping *mapping = address_space_find(process->space, word - 1);
	int64_t distance;
	size_t size;

	if (!mapping || !mapping->is_exec)
		return NO_RETURN_ADDRESS;
	if (process_code_is_anonymous(process, word - 1))
		return OTHER_CALL;
	const uint8_t *code = process_code_before(process, word, CALL_SIZE_MAX, &size);
	if (!code)
		return OTHER_CALL;
	if (!process->arch->ends_in_call(code, size, &distance))
		return NO_RETURN_ADDRESS;
	*function_ret = word + (uint64_t)distance;
	return distance ? DIRECT_CALL : OTHER_CALL;
}

/* Whether the CFI of @function describes a frame that its first instruction does not have yet, and
 * whose stack pointer may have been moved down to @sp. */
static bool is_interpreter(const struct process_code *process, uint64_t function, uint64_t slot,
			   uint64_t sp, struct interpreter_frame *ret)
{
	const struct arch *arch = process->arch;
	struct rule *rule = &ret->rule;

	process_code_rule(process, function, rule);
	if (rule->kind != RULE_CFA_REGISTER || rule->cfa_reg != arch->sp || rule->cfa_addend)
		return false;
	uint64_t frame_size = (uint64_t)rule->cfa_offset * arch->pointer_size;
	ret->sp = slot + arch->pointer_size - frame_size;
	return rule->cfa_offset > 1 && frame_size <= FRAME_SIZE_MAX && ret->sp >= sp &&
	       ret->sp - sp <= SPILLED_MAX && (ret->sp - sp) % FRAME_ALIGNMENT == 0;
}

static bool find_frame(const struct process_code *process, const struct stack_copy *stack,
		       uint64_t sp, struct interpreter_frame *ret)
{
	const uint8_t word_size = process->arch->pointer_size;
	uint64_t end = sp + SPILLED_MAX + FRAME_SIZE_MAX, word, function;

	for (uint64_t slot = sp; slot < end && stack_read(stack, slot, &word); slot += word_size) {
		switch (look_at(process, word, &function)) {
		case NO_RETURN_ADDRESS:
			break;
		case OTHER_CALL:
			return false;
		case DIRECT_CALL:
			return is_interpreter(process, function, slot, sp, ret);
		}
	}
	return false;
}

bool guess_interpreters_caller(const struct process_code *process, const struct stack_copy *stack,
			       struct regs *regs)
{
	const struct arch *arch = process->arch;
	bool is_ra_on_stack = !(arch->callee_saved >> arch->ra & 1);
	struct regs caller = { .valid = 0 };
	struct interpreter_frame frame;
	bool is_exact = false;
	enum unwind_end end;

	if (!is_ra_on_stack || !regs_have(regs, arch->sp) ||
	    !find_frame(process, stack, regs->values[arch->sp], &frame))
		return false;
	/* The JIT code may have changed all registers that the interpreter has not saved. */
	regs_set(&caller, arch->sp, frame.sp);
	if (!rule_apply(&frame.rule, arch, stack, &caller, &is_exact, &end))
		return false;
	*regs = caller;
	return true;
}
