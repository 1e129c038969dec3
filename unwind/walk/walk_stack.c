/* Another stack is entered where the walk's stack pointer, or a saved one, leads to its copy. */
#include "unwind/walk/walk_stack.h"

#include "unwind/guess/guess.h"
#include "unwind/rules/rule.h"

/* If a handler runs on the stack that it interrupted, the interrupted frame is nearer than this to
 * the end of the copy. */
#define SAME_STACK_DISTANCE 65536

/* Functions that switch stacks are shorter than this. */
#define SWITCH_SIZE_MAX 1024

/* The return address leads to a call of the function that the frame is in, as far as it tells. */
static bool is_called_from(const struct unwind_walk *walk, uint64_t return_address)
{
	const struct process_code process = process_of(walk);
	int64_t distance;
	size_t size;
	const uint8_t *code = process_code_before(&process, return_address, CALL_SIZE_MAX, &size);

	if (!code || !walk->arch->ends_in_call(code, size, &distance))
		return false;
	return !distance || walk->addr - (return_address + (uint64_t)distance) < SWITCH_SIZE_MAX;
}

static struct stack_copy copy_of_second(const struct unwind_walk *walk,
					const struct second_stack *second)
{
	return (struct stack_copy){ .bytes = second->block->bytes,
				    .start = second->start,
				    .size = second->block->size,
				    .is_full = second->is_full,
				    .is_32_bit = walk->stack.is_32_bit };
}

static void enter_second_stack(struct unwind_walk *walk, const struct second_stack *second)
{
	walk->used_seconds |= 1u << (second - walk->memory->seconds);
	walk->is_elsewhere = true;
	walk->stack = copy_of_second(walk, second);
}

/* NULL: none that was not used yet. */
static const struct second_stack *find_second(const struct unwind_walk *walk, bool is_saved)
{
	const struct stack_memory *memory = walk->memory;

	for (size_t i = 0; memory && i < memory->n_seconds; i++) {
		if (memory->seconds[i].is_saved == is_saved && !(walk->used_seconds >> i & 1))
			return &memory->seconds[i];
	}
	return NULL;
}

/*
 * Applies the rule of a function that has left its caller's stack, to where it saved its stack
 * pointer. @second: the stack that was left; NULL: the function is still on it.
 */
static bool return_to_stack(struct unwind_walk *walk, const struct second_stack *second,
			    uint64_t sp)
{
	const struct stack_copy stack = second ? copy_of_second(walk, second) : walk->stack;
	struct regs regs = { .pc = walk->regs.pc };
	struct rule rule = *walk->rule;
	bool is_exact = false;
	enum unwind_end end;

	rule.kind = RULE_CFA_REGISTER;
	rule.cfa_reg = walk->arch->sp & 31;
	regs_set(&regs, walk->arch->sp, sp);
	if (!rule_apply(&rule, walk->arch, &stack, &regs, &is_exact, &end) ||
	    !is_called_from(walk, regs.pc))
		return false;
	if (second)
		enter_second_stack(walk, second);
	walk->frame.origin = FRAME_BY_CFI;
	walk->is_exact = false;
	walk->regs = regs;
	return true;
}

bool walk_stack_return(struct unwind_walk *walk)
{
	const struct second_stack *second = find_second(walk, true);
	const struct rule *rule = walk->rule;
	uint64_t sp = second ? second->start : 0;

	walk->end = UNWIND_OTHER_STACK;
	if (!rule->cfa_offset)
		return false;
	if (rule->cfa_reg != walk->arch->sp) {
		if (!regs_have(&walk->regs, rule->cfa_reg))
			return false;
		sp = walk->regs.values[rule->cfa_reg];
		if (sp - walk->stack.start < walk->stack.size)
			return return_to_stack(walk, NULL, sp);
	}
	return second && second->start == sp && return_to_stack(walk, second, sp);
}

/* Where the frame that was just left kept its return address; 0: in a register, or not known. */
static uint64_t return_address_slot(const struct unwind_walk *walk)
{
	const struct arch *arch = walk->arch;

	if (walk->is_exact || arch->callee_saved >> arch->ra & 1)
		return 0;
	return walk->regs.values[arch->sp] - arch->pointer_size;
}

/* Finds proof that the rest of the stack is known, and marks what was read from there. */
static void use_rest(struct unwind_walk *walk)
{
	uint64_t slot = return_address_slot(walk);
	bool is_beyond = slot - walk->stack.start >= walk->stack.size;

	if (!slot)
		return;
	if (is_beyond && walk->frame.origin == FRAME_BY_CFI)
		walk->frame.origin = FRAME_STITCHED;
	if (!is_beyond && !walk->stack.rest &&
	    stack_memory_has_guard(walk->memory, slot, walk->regs.pc))
		walk->stack.rest = walk->memory;
}

/* After a signal's frame: the interrupted code may use another stack. */
static void use_context(struct unwind_walk *walk)
{
	const struct stack_memory *memory = walk->memory;
	uint64_t sp = walk->regs.values[walk->arch->sp];

	if (sp - walk->stack.start < walk->stack.size)
		return;
	const struct second_stack *second = find_second(walk, false);
	if (second && second->start == sp) {
		enter_second_stack(walk, second);
		return;
	}
	size_t i = stack_memory_find_context(memory, walk->arch, &walk->regs, walk->next_context);
	if (i == memory->n_contexts)
		return;
	walk->next_context = i + 1;
	walk->is_elsewhere = true;
	walk->stack = (struct stack_copy){ .bytes = memory->contexts[i].block->bytes,
					   .start = sp,
					   .size = memory->contexts[i].block->size,
					   .is_full = memory->contexts[i].is_full,
					   .is_32_bit = walk->stack.is_32_bit };
}

bool walk_stack_is_left(const struct unwind_walk *walk)
{
	uint64_t end = walk->stack.start + walk->stack.size;
	uint64_t sp = walk->regs.values[walk->arch->sp];

	return sp - walk->stack.start >= walk->stack.size && sp - end >= SAME_STACK_DISTANCE;
}

void walk_stack_use_memory(struct unwind_walk *walk)
{
	if (walk->is_elsewhere && walk->frame.origin == FRAME_BY_CFI)
		walk->frame.origin = FRAME_STITCHED;
	if (walk->is_exact)
		use_context(walk);
	else
		use_rest(walk);
}
