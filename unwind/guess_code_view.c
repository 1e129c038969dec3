#include "unwind/guess_code_view.h"

#include "unwind/process_code.h"

struct leaf {
	struct process_code process;
	const struct stack_copy *stack;
	uint64_t start; /* of the code that is known */
	size_t size;
	uint8_t bytes[CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE];
};

/* The bytes before @addr. NULL: not known. */
static const uint8_t *bytes_before(const struct leaf *leaf, bool is_anonymous, uint64_t addr)
{
	uint64_t at = addr - CALL_SIZE_MAX - leaf->start;
	size_t size;

	if (is_anonymous)
		return at < leaf->size && leaf->size - at >= CALL_SIZE_MAX ? leaf->bytes + at
									   : NULL;
	const uint8_t *bytes = process_code_before(&leaf->process, addr, CALL_SIZE_MAX, &size);
	return bytes && size == CALL_SIZE_MAX ? bytes : NULL;
}

enum site {
	NO_SITE,      /* no return address */
	UNKNOWN_SITE, /* executable memory of which there are no bytes */
	CALL_SITE,    /* behind a call */
};

/* A call of what has CFI leads to no code made at run time, unless it is a stub that jumps on. */
static enum site site_of(const struct leaf *leaf, uint64_t addr)
{
	const struct process_code *process = &leaf->process;
	const struct mapping *mapping;
	struct elf_module *module = process_code_module(process, addr - 1, &mapping);
	int64_t distance;

	if (!module || !mapping->is_exec)
		return NO_SITE;
	bool is_anonymous = elf_module_is_anonymous(module);
	const uint8_t *code = bytes_before(leaf, is_anonymous, addr);
	if (!code)
		return is_anonymous ? UNKNOWN_SITE : NO_SITE;
	return process->arch->ends_in_call(code, CALL_SIZE_MAX, &distance) &&
			       !(distance &&
				 process_code_has_cfi(process, addr + (uint64_t)distance))
		       ? CALL_SITE
		       : NO_SITE;
}

/* Frame pointers go up and end with zero; code that keeps none may use the register for a value. */
static bool is_chain(const struct leaf *leaf, uint64_t slot, const struct regs *caller)
{
	const struct arch *arch = leaf->process.arch;
	uint64_t fp = caller->values[arch->fp];

	return regs_have(caller, arch->fp) &&
	       (fp == 0 || (fp > slot && fp - leaf->stack->start < leaf->stack->size &&
			    fp % arch->pointer_size == 0));
}

static bool try_rule(const struct leaf *leaf, const struct code_rule *rule, struct regs *regs)
{
	const struct arch *arch = leaf->process.arch;
	struct regs caller = *regs;
	enum unwind_end end;
	uint64_t slot;

	if (!code_rule_return_slot(rule, arch, leaf->stack, regs, &slot) ||
	    !code_rule_apply(rule, arch, leaf->stack, &caller, true, &end))
		return false;
	enum site site = site_of(leaf, caller.pc);
	if (site == NO_SITE || (site == UNKNOWN_SITE && !is_chain(leaf, slot, &caller)))
		return false;
	caller.valid &= 1ull << arch->sp | 1ull << arch->fp | 1ull << arch->ra;
	*regs = caller;
	return true;
}

/* The one rule that all ways to return agree on, but for how much they drop. NULL: none. */
static const struct code_rule *find_rule(const struct code_outcomes *outcomes)
{
	const struct code_rule *found = NULL;

	for (size_t i = 0; i < outcomes->n_rules; i++) {
		if (outcomes->rules[i].is_doubtful)
			continue;
		if (found)
			return NULL;
		found = &outcomes->rules[i];
	}
	return found;
}

bool guess_by_code_view(struct code_scan *scan, struct elf_modules *elf_modules,
			const struct address_space *space, const struct arch *arch,
			const struct stack_copy *stack, const struct code_view *view,
			struct regs *regs)
{
	struct leaf leaf = { .process = { elf_modules, space, arch },
			     .stack = stack,
			     .start = view->start };
	struct code code = { .arch = arch, .start = view->start, .keeps_frame_pointer_only = true };
	struct code_outcomes outcomes;

	if (!arch->decode || arch->pointer_size != 8)
		return false;
	code.bytes = leaf.bytes;
	code.size = leaf.size = code_view_fill(view, leaf.bytes);
	if (regs->pc - code.start >= code.size)
		return false;
	code_scan_returns(scan, &code, regs->pc, true, &outcomes);
	const struct code_rule *rule = outcomes.is_ambiguous ? NULL : find_rule(&outcomes);
	return rule && try_rule(&leaf, rule, regs);
}
