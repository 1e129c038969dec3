#include "unwind/guess_code_view.h"

#include "unwind/rule.h"

/* The longest form of a call that an architecture knows. */
#define CALL_SIZE_MAX 8

struct leaf {
	struct elf_modules *elf_modules;
	const struct address_space *space;
	const struct arch *arch;
	const struct stack_copy *stack;
	uint64_t start; /* of the code that is known */
	size_t size;
	uint8_t bytes[CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE];
};

static bool has_cfi(const struct leaf *leaf, uint64_t addr)
{
	const struct mapping *mapping = address_space_find(leaf->space, addr);
	struct elf_module *module =
		mapping ? elf_modules_get(leaf->elf_modules, mapping->module) : NULL;
	struct rule rule = { .kind = RULE_NONE };

	if (module)
		elf_module_find_rule(module, leaf->arch, addr - mapping->start + mapping->offset,
				     &rule);
	return rule.kind != RULE_NONE;
}

/* The bytes before @addr. NULL: not known. */
static const uint8_t *bytes_before(const struct leaf *leaf, struct elf_module *module,
				   const struct mapping *mapping, uint64_t addr)
{
	uint64_t from = addr - CALL_SIZE_MAX, at = from - leaf->start;

	if (!elf_module_is_anonymous(module))
		return addr - mapping->start < CALL_SIZE_MAX
			       ? NULL
			       : elf_module_bytes(module, from - mapping->start + mapping->offset,
						  CALL_SIZE_MAX);
	return at < leaf->size && leaf->size - at >= CALL_SIZE_MAX ? leaf->bytes + at : NULL;
}

enum site {
	NO_SITE,      /* no return address */
	UNKNOWN_SITE, /* executable memory of which there are no bytes */
	CALL_SITE,    /* behind a call */
};

/* A call of what has CFI leads to no code made at run time, unless it is a stub that jumps on. */
static enum site site_of(const struct leaf *leaf, uint64_t addr)
{
	const struct mapping *mapping = address_space_find(leaf->space, addr - 1);
	struct elf_module *module =
		mapping ? elf_modules_get(leaf->elf_modules, mapping->module) : NULL;
	int64_t distance;

	if (!module || !mapping->is_exec)
		return NO_SITE;
	const uint8_t *code = bytes_before(leaf, module, mapping, addr);
	if (!code)
		return elf_module_is_anonymous(module) ? UNKNOWN_SITE : NO_SITE;
	return leaf->arch->ends_in_call(code, CALL_SIZE_MAX, &distance) &&
			       !(distance && has_cfi(leaf, addr + (uint64_t)distance))
		       ? CALL_SITE
		       : NO_SITE;
}

/* Frame pointers go up and end with zero; code that keeps none may use the register for a value. */
static bool is_chain(const struct leaf *leaf, uint64_t slot, const struct regs *caller)
{
	const struct arch *arch = leaf->arch;
	uint64_t fp = caller->values[arch->fp];

	return regs_have(caller, arch->fp) &&
	       (fp == 0 || (fp > slot && fp - leaf->stack->start < leaf->stack->size &&
			    fp % arch->pointer_size == 0));
}

static bool try_rule(const struct leaf *leaf, const struct code_rule *rule, struct regs *regs)
{
	const struct arch *arch = leaf->arch;
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
	struct leaf leaf = { .elf_modules = elf_modules,
			     .space = space,
			     .arch = arch,
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
