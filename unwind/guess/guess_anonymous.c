#include "unwind/guess/guess_anonymous.h"

struct place {
	const struct process_code *process;
	const struct stack_copy *stack;
};

/*
 * Whether @addr may be a return address: if the bytes before it are known, they must be a call. A
 * call to a known function can lead to other code if that function jumps there, as stubs of a
 * run-time system do; compiled functions with CFI do not.
 */
static bool may_return_to(const struct place *place, uint64_t addr)
{
	const struct process_code *process = place->process;
	const struct mapping *mapping;
	struct elf_module *module = process_code_module(process, addr - 1, &mapping);
	int64_t distance;
	size_t size;

	if (!module || !mapping->is_exec)
		return false;
	if (elf_module_is_anonymous(module))
		return true;
	const uint8_t *code = process_code_before(process, addr, CALL_SIZE_MAX, &size);
	return code && size == CALL_SIZE_MAX &&
	       process->arch->ends_in_call(code, CALL_SIZE_MAX, &distance) &&
	       !(distance && process_code_has_cfi(process, addr + (uint64_t)distance));
}

/* Frame pointers go up and end with zero; code that keeps none may use the register for a value. */
static bool is_chain(const struct place *place, uint64_t from, uint64_t to)
{
	return to == 0 || (to > from && to - place->stack->start < place->stack->size &&
			   to % place->process->arch->pointer_size == 0);
}

/*
 * The first function of a Lisp's stack was called by C code on another one. Its caller's frame
 * pointer is that of the other stack: it proves nothing, and nothing below depends on it.
 */
static bool is_first_of_stack(const struct place *place, uint64_t pc, uint64_t return_address)
{
	return process_code_is_other_file(place->process, pc) &&
	       !process_code_is_anonymous(place->process, return_address - 1);
}

/* The caller whose return address is at @slot, and its frame pointer. Its other saved registers are
 * lost. */
static void set_caller(const struct place *place, uint64_t slot, uint64_t return_address,
		       uint64_t frame_pointer, struct regs *regs)
{
	const struct arch *arch = place->process->arch;

	regs->valid = 0;
	regs->pc = arch->strip_return_address(return_address);
	regs_set(regs, arch->ra, regs->pc);
	regs_set(regs, arch->sp, slot + arch->pointer_size);
	regs_set(regs, arch->fp, frame_pointer);
}

bool guess_anonymous_lacks_frame(const struct process_code *process, const struct stack_copy *stack,
				 const struct regs *regs)
{
	const struct arch *arch = process->arch;
	const struct place place = { process, stack };
	uint64_t top;

	return regs_have(regs, arch->sp) && stack_read(stack, regs->values[arch->sp], &top) &&
	       may_return_to(&place, top);
}

bool guess_anonymous_caller(const struct process_code *process, const struct stack_copy *stack,
			    struct regs *regs, bool *is_exact)
{
	const struct arch *arch = process->arch;
	const struct place place = { process, stack };
	uint64_t sp = regs->values[arch->sp], fp = regs->values[arch->fp];
	uint64_t top, return_address, caller_fp;

	if (!regs_have(regs, arch->fp) || !stack_read(stack, sp, &top))
		return false;
	if (*is_exact && top == fp && stack_read(stack, sp + arch->pointer_size, &return_address) &&
	    may_return_to(&place, return_address)) {
		set_caller(&place, sp + arch->pointer_size, return_address, fp, regs);
		*is_exact = false;
		return true;
	}
	bool is_at_edge = *is_exact && may_return_to(&place, top);
	if (is_at_edge || fp < sp || fp % arch->pointer_size ||
	    !stack_read(stack, fp, &caller_fp) ||
	    !stack_read(stack, fp + arch->pointer_size, &return_address) ||
	    !may_return_to(&place, return_address) ||
	    !(is_chain(&place, fp, caller_fp) ||
	      is_first_of_stack(&place, regs->pc - !*is_exact, return_address)))
		return false;
	set_caller(&place, fp + arch->pointer_size, return_address, caller_fp, regs);
	*is_exact = false;
	return true;
}
