#include "unwind/walk/guess_code_view.h"

#include <stdlib.h>

#include "cct/base/hash.h"

#define DUMPED_RULES 4096

struct leaf {
	const struct process_code *process;
	const struct stack_copy *stack;
	uint64_t start; /* of the code that is known */
	size_t size;
	const uint8_t *bytes;
	bool is_dumped; /* a jitdump has them, and those of other code */
};

/* The bytes before @addr: as many as a call may have, or all of the code there. NULL: not known. */
static const uint8_t *bytes_before(const struct leaf *leaf, bool is_anonymous, uint64_t addr,
				   size_t *size_ret)
{
	uint64_t at = addr - CALL_SIZE_MAX - leaf->start;

	*size_ret = CALL_SIZE_MAX;
	if (is_anonymous && at < leaf->size && leaf->size - at >= CALL_SIZE_MAX)
		return leaf->bytes + at;
	const uint8_t *bytes = process_code_before(leaf->process, addr, CALL_SIZE_MAX, size_ret);
	return *size_ret == CALL_SIZE_MAX || leaf->is_dumped ? bytes : NULL;
}

enum site {
	NO_SITE,      /* no return address */
	UNKNOWN_SITE, /* executable memory of which there are no bytes */
	CALL_SITE,    /* behind a call */
};

/* A call of what has CFI leads to no code made at run time, unless it is a stub that jumps on. */
static enum site site_of(const struct leaf *leaf, uint64_t addr)
{
	const struct process_code *process = leaf->process;
	const struct mapping *mapping;
	struct elf_module *module = process_code_module(process, addr - 1, &mapping);
	int64_t distance;
	size_t size;

	if (!module || !mapping->is_exec)
		return NO_SITE;
	bool is_anonymous = elf_module_is_anonymous(module);
	const uint8_t *code = bytes_before(leaf, is_anonymous, addr, &size);
	if (!code)
		return is_anonymous ? UNKNOWN_SITE : NO_SITE;
	if (process->arch->ends_in_call(code, size, &distance) &&
	    !(distance && process_code_has_cfi(process, addr + (uint64_t)distance)))
		return CALL_SITE;
	/* HotSpot's interpreter makes return addresses, and code that is patched has other bytes.
	 */
	return is_anonymous && leaf->is_dumped ? UNKNOWN_SITE : NO_SITE;
}

/* Frame pointers go up and end with zero; code that keeps none may use the register for a value. */
static bool is_chain(const struct leaf *leaf, uint64_t slot, const struct regs *caller)
{
	const struct arch *arch = leaf->process->arch;
	uint64_t fp = caller->values[arch->fp];

	return regs_have(caller, arch->fp) &&
	       (fp == 0 || (fp > slot && fp - leaf->stack->start < leaf->stack->size &&
			    fp % arch->pointer_size == 0));
}

static bool try_rule(const struct leaf *leaf, const struct code_rule *rule, bool is_exact,
		     struct regs *regs)
{
	const struct arch *arch = leaf->process->arch;
	struct regs caller = *regs;
	enum unwind_end end;
	uint64_t slot;

	if (!code_rule_return_slot(rule, arch, leaf->stack, regs, &slot) ||
	    !code_rule_apply(rule, arch, leaf->stack, &caller, is_exact, &end))
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

/* Where all ways from @pc lead. false: they do not agree, or can't be followed. */
static bool follow(struct code_scan *scan, const struct leaf *leaf, bool is_exact, uint64_t pc,
		   struct code_rule *rule_ret)
{
	const struct arch *arch = leaf->process->arch;
	const struct code code = { .arch = arch,
				   .start = leaf->start,
				   .bytes = leaf->bytes,
				   .size = leaf->size,
				   .keeps_frame_pointer_only = true };
	struct code_outcomes outcomes;

	if (!arch->decode || arch->pointer_size != 8 || pc - !is_exact - code.start >= code.size)
		return false;
	code_scan_returns(scan, &code, pc, is_exact, &outcomes);
	const struct code_rule *rule = outcomes.is_ambiguous ? NULL : find_rule(&outcomes);
	if (rule)
		*rule_ret = *rule;
	return rule;
}

bool guess_by_code_view(struct code_scan *scan, const struct process_code *process,
			const struct stack_copy *stack, const struct code_view *view,
			struct regs *regs)
{
	uint8_t bytes[CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE];
	const struct leaf leaf = { .process = process,
				   .stack = stack,
				   .start = view->start,
				   .size = code_view_fill(view, bytes),
				   .bytes = bytes };
	struct code_rule rule;

	return follow(scan, &leaf, true, regs->pc, &rule) && try_rule(&leaf, &rule, true, regs);
}

/* What following a place of a dump told. */
struct dumped_rule {
	const struct arch *arch; /* NULL: an empty slot */
	uint32_t module;
	bool is_exact, is_known;
	uint64_t offset, start, size; /* of the place; of the code around it that is there */
	struct code_rule rule;
};

struct dumped_rules {
	struct dumped_rule slots[DUMPED_RULES];
};

struct dumped_rules *dumped_rules_create(void)
{
	/* Zeroed pages are not touched before they are used. */
	return calloc(1, sizeof(struct dumped_rules));
}

void dumped_rules_destroy(struct dumped_rules *rules)
{
	free(rules);
}

/* NULL: following the code tells nothing. */
static const struct code_rule *find_dumped(struct dumped_rules *rules, struct code_scan *scan,
					   const struct leaf *leaf, const struct mapping *mapping,
					   uint64_t pc, bool is_exact)
{
	struct dumped_rule wanted = { .arch = leaf->process->arch,
				      .module = mapping->module,
				      .is_exact = is_exact,
				      .offset = pc - mapping->start + mapping->offset,
				      .start = mapping->offset,
				      .size = leaf->size };
	uint32_t hash = hash_number(wanted.offset ^ (uint64_t)wanted.module << 40);
	struct dumped_rule *slot = &rules->slots[hash % DUMPED_RULES];

	if (slot->arch != wanted.arch || slot->module != wanted.module ||
	    slot->is_exact != is_exact || slot->offset != wanted.offset ||
	    slot->start != wanted.start || slot->size != wanted.size) {
		wanted.is_known = follow(scan, leaf, is_exact, pc, &wanted.rule);
		*slot = wanted;
	}
	return slot->is_known ? &slot->rule : NULL;
}

bool guess_by_dumped_code(struct dumped_rules *rules, struct code_scan *scan,
			  const struct process_code *process, const struct stack_copy *stack,
			  bool is_exact, struct regs *regs)
{
	struct leaf leaf = { .process = process, .stack = stack, .is_dumped = true };
	const struct mapping *mapping;
	struct elf_module *module =
		process_code_module(leaf.process, regs->pc - !is_exact, &mapping);

	if (!module || !elf_module_is_anonymous(module))
		return false;
	leaf.start = mapping->start;
	leaf.size = mapping->end - mapping->start;
	leaf.bytes = elf_module_bytes(module, mapping->offset, leaf.size);
	if (!leaf.bytes)
		return false;
	const struct code_rule *rule = find_dumped(rules, scan, &leaf, mapping, regs->pc, is_exact);
	return rule && try_rule(&leaf, rule, is_exact, regs);
}
