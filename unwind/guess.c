/* Candidates are rules; what they lead to is checked against the program's bytes. */
#include "unwind/guess.h"

#include "unwind/guess_anonymous.h"

/* The longest form of a call that an architecture knows. */
#define CALL_SIZE_MAX 8
/* What a new thread runs before its first function. */
#define THREAD_START_SIZE_MAX 16
/* Functions without CFI are assembly. */
#define FUNCTION_SIZE_MAX (64 * 1024)
/* How far back a frame pointer's set-up is looked for. */
#define PROLOGUE_DISTANCE_MAX 4096

struct guess {
	struct elf_modules *elf_modules;
	const struct address_space *space;
	const struct arch *arch;
	const struct stack_copy *stack;
	uint64_t pc; /* of the frame */
};

enum verdict {
	NOT_A_CALLER,
	NO_BYTES, /* executable memory; nothing else can be known */
	A_CALLER, /* calls the function that holds the frame, as far as can be told */
};

/* Up to @size bytes that end at @addr. *@size_ret: how many. NULL: none. */
static const uint8_t *code_before(const struct guess *guess, uint64_t addr, size_t size,
				  size_t *size_ret)
{
	const struct mapping *mapping = address_space_find(guess->space, addr - 1);
	struct elf_module *module =
		mapping ? elf_modules_get(guess->elf_modules, mapping->module) : NULL;
	if (!module)
		return NULL;

	*size_ret = addr - mapping->start < size ? addr - mapping->start : size;
	return elf_module_bytes(module, addr - mapping->start + mapping->offset - *size_ret,
				*size_ret);
}

static bool is_trampoline(const struct guess *guess, uint64_t addr)
{
	size_t size = CALL_SIZE_MAX;
	const uint8_t *code = code_before(guess, addr + size, size, &size);

	return code && size == CALL_SIZE_MAX && guess->arch->is_trampoline(code, size);
}

static enum verdict judge_return_address(const struct guess *guess, uint64_t addr)
{
	const struct mapping *mapping = address_space_find(guess->space, addr - 1);
	int64_t distance;
	size_t size;

	if (!mapping || !mapping->is_exec)
		return NOT_A_CALLER;
	if (guess_is_anonymous(guess->elf_modules, guess->space, addr - 1))
		return NO_BYTES;
	const uint8_t *code = code_before(guess, addr, CALL_SIZE_MAX, &size);
	if (!code || !guess->arch->ends_in_call(code, size, &distance))
		return NOT_A_CALLER;
	uint64_t function = stack_address(guess->stack, addr + (uint64_t)distance);
	/* A call between a function's start and the frame makes the frame another function's. */
	bool is_passed = addr > function && addr <= guess->pc;
	bool may_lead_here = distance == 0 ||
			     (guess->pc - function < FUNCTION_SIZE_MAX && !is_passed) ||
			     is_trampoline(guess, function);
	return may_lead_here ? A_CALLER : NOT_A_CALLER;
}

/* A rule that restores @fp from its slot and loses what else a callee might have saved. */
static struct rule frame_pointer_rule(const struct arch *arch)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };
	size_t n_slots = 0;

	rule.cfa_reg = arch->fp & 31;
	rule.cfa_offset = 2;
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1, n_slots++) {
		unsigned reg = (unsigned)__builtin_ctzll(left);

		rule.slots[n_slots] = SLOT_UNDEFINED;
		if (reg == arch->ra)
			rule.slots[n_slots] = 1;
		else if (reg == arch->fp)
			rule.slots[n_slots] = 2;
	}
	return rule;
}

/* A rule for the first instruction of a function, or any of one that leaves the stack alone. */
static struct rule leaf_rule(const struct arch *arch)
{
	struct rule rule = { .kind = RULE_CFA_REGISTER };
	bool ra_on_stack = !(arch->callee_saved >> arch->ra & 1);

	rule.cfa_reg = arch->sp & 31;
	rule.cfa_offset = ra_on_stack;
	if (ra_on_stack)
		rule.slots[__builtin_popcountll(arch->callee_saved & ((1ull << arch->ra) - 1))] = 1;
	return rule;
}

/* A chain of frame pointers goes up, and ends with zero. */
static bool is_chain(const struct guess *guess, const struct regs *callee,
		     const struct regs *caller)
{
	uint64_t from = callee->values[guess->arch->fp], to = caller->values[guess->arch->fp];

	return to == 0 || (to > from && to - guess->stack->start < guess->stack->size &&
			   to % guess->arch->pointer_size == 0);
}

/* No CFI describes a function in part; what has some is another function. */
static enum rule_kind cfi_kind(const struct guess *guess, uint64_t addr)
{
	const struct mapping *mapping = address_space_find(guess->space, addr);
	struct elf_module *module =
		mapping ? elf_modules_get(guess->elf_modules, mapping->module) : NULL;
	struct rule rule = { .kind = RULE_NONE };

	if (module)
		elf_module_find_rule(module, guess->arch, addr - mapping->start + mapping->offset,
				     &rule);
	return (enum rule_kind)rule.kind;
}

static bool has_cfi(const struct guess *guess, uint64_t addr)
{
	return cfi_kind(guess, addr) != RULE_NONE;
}

/* Whether the frame's code shows that its function has set up the frame pointer. */
static bool has_frame_pointer(const struct guess *guess)
{
	size_t size;
	const uint8_t *code = code_before(guess, guess->pc, PROLOGUE_DISTANCE_MAX, &size);
	size_t since = code ? guess->arch->frame_pointer_since(code, size) : 0;

	return since && !has_cfi(guess, guess->pc - since);
}

/* The frame pointer's caller may use that register for something else. */
static bool guess_by_frame_pointer(const struct guess *guess, struct regs *regs, bool is_exact)
{
	struct rule rule = frame_pointer_rule(guess->arch);
	struct regs caller = *regs;
	uint8_t fp = guess->arch->fp;
	enum unwind_end end;

	if (!regs_have(regs, fp) || regs->values[fp] < regs->values[guess->arch->sp] ||
	    regs->values[fp] % guess->arch->pointer_size ||
	    !rule_apply(&rule, guess->arch, guess->stack, &caller, &is_exact, &end) ||
	    !regs_have(&caller, fp))
		return false;

	enum verdict verdict = judge_return_address(guess, caller.pc);
	if (verdict == NOT_A_CALLER || !has_frame_pointer(guess))
		return false;
	/* Code without bytes can only be asked for a plausible chain. */
	if (verdict == NO_BYTES && !is_chain(guess, regs, &caller))
		return false;
	*regs = caller;
	return true;
}

static bool guess_leaf(const struct guess *guess, struct regs *regs)
{
	struct rule rule = leaf_rule(guess->arch);
	struct regs caller = *regs;
	bool is_exact = true;
	enum unwind_end end;

	if (!rule_apply(&rule, guess->arch, guess->stack, &caller, &is_exact, &end) ||
	    judge_return_address(guess, caller.pc) != A_CALLER)
		return false;
	*regs = caller;
	return true;
}

bool guess_is_return_address(struct elf_modules *elf_modules, const struct address_space *space,
			     const struct arch *arch, uint64_t addr)
{
	const struct guess guess = { .elf_modules = elf_modules, .space = space, .arch = arch };
	const struct mapping *mapping = address_space_find(space, addr - 1);
	int64_t distance;
	size_t size;

	if (!mapping || !mapping->is_exec)
		return false;
	if (guess_is_anonymous(elf_modules, space, addr - 1))
		return true;
	const uint8_t *code = code_before(&guess, addr, CALL_SIZE_MAX, &size);
	return code && arch->ends_in_call(code, size, &distance);
}

bool guess_by_code(struct elf_modules *elf_modules, const struct address_space *space,
		   const struct arch *arch, const struct stack_copy *stack, struct regs *regs)
{
	const struct guess guess = { elf_modules, space, arch, stack, regs->pc };
	const struct mapping *mapping = address_space_find(space, regs->pc);
	struct elf_module *module = mapping ? elf_modules_get(elf_modules, mapping->module) : NULL;
	struct regs caller = *regs;
	size_t size;

	if (!module || !arch->follow_to_return)
		return false;
	const uint8_t *code = elf_module_file(module, &size);
	uint64_t at = regs->pc - mapping->start + mapping->offset;
	bool is_certain;
	if (!code || at >= size ||
	    !arch->follow_to_return(code, size, at, stack, &caller, &is_certain))
		return false;
	/* A call of another function may have led here by a jump. */
	if (judge_return_address(&guess, caller.pc) != A_CALLER &&
	    !(is_certain && guess_is_return_address(elf_modules, space, arch, caller.pc)))
		return false;
	caller.valid &= rule_saved_regs(arch) | 1ull << arch->sp;
	*regs = caller;
	return true;
}

bool guess_caller(struct elf_modules *elf_modules, const struct address_space *space,
		  const struct arch *arch, const struct stack_copy *stack, struct regs *regs,
		  bool *is_exact)
{
	const struct guess guess = { .elf_modules = elf_modules,
				     .space = space,
				     .arch = arch,
				     .stack = stack,
				     .pc = *is_exact ? regs->pc : regs->pc - 1 };

	if (guess_is_anonymous(elf_modules, space, guess.pc))
		return guess_anonymous_caller(elf_modules, space, arch, stack, regs, is_exact);
	if (!(*is_exact && guess_leaf(&guess, regs)) &&
	    !guess_by_frame_pointer(&guess, regs, *is_exact))
		return false;
	*is_exact = false;
	return true;
}

bool is_behind_call(struct elf_modules *elf_modules, const struct address_space *space,
		    const struct arch *arch, uint64_t addr)
{
	const struct guess guess = { .elf_modules = elf_modules, .space = space, .arch = arch };
	int64_t distance;
	size_t size;
	const uint8_t *code = code_before(&guess, addr, CALL_SIZE_MAX, &size);

	return code && arch->ends_in_call(code, size, &distance);
}

bool guess_thread_start(struct elf_modules *elf_modules, const struct address_space *space,
			const struct arch *arch, const struct regs *regs)
{
	const struct guess guess = {
		.elf_modules = elf_modules, .space = space, .arch = arch, .pc = regs->pc
	};
	size_t size;
	int64_t distance;

	if (!arch->thread_start)
		return false;
	const uint8_t *code =
		code_before(&guess, regs->pc + THREAD_START_SIZE_MAX, THREAD_START_SIZE_MAX, &size);
	return code && size == THREAD_START_SIZE_MAX &&
	       arch->thread_start(code, size, regs, &distance) &&
	       cfi_kind(&guess, regs->pc + (uint64_t)distance) == RULE_ROOT;
}
