#include "unwind/guess/guess_code_view.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/hash.h"

#define MADE_RULES_BITS 12

/* The code of one frame, as far as it is known. */
struct known_code {
	const struct process_code *process;
	const struct stack_copy *stack;
	const struct code_source *source; /* NULL: the code is in a jitdump, with all other code */
	const struct mapping *mapping;    /* of the jitdump's code */
	struct code_view view;            /* of the source */
	uint64_t start;
	size_t size;
};

enum site {
	NO_SITE,      /* not a return address */
	UNKNOWN_SITE, /* in executable memory, with unknown bytes, or that may be one */
	CALL_SITE,    /* after a call */
};

/* A call to a function with CFI does not lead to JIT code, unless the function is a stub that jumps
 * on. */
static bool ends_in_call(const struct process_code *process, uint64_t addr, const uint8_t *code,
			 size_t size)
{
	int64_t distance;

	return process->arch->ends_in_call(code, size, &distance) &&
	       !(distance && process_code_has_cfi(process, addr + (uint64_t)distance));
}

static enum site site_in_file(const struct process_code *process, uint64_t addr)
{
	size_t size;
	const uint8_t *code = process_code_before(process, addr, CALL_SIZE_MAX, &size);

	return code && size == CALL_SIZE_MAX && ends_in_call(process, addr, code, size) ? CALL_SITE
											: NO_SITE;
}

/*
 * A return address may not follow a call, because HotSpot's interpreter makes return addresses and
 * patched code has other bytes. This cannot happen in bytes that were read together with the
 * frame's own code.
 */
static enum site site_in_view(const struct known_code *known, uint64_t addr)
{
	const uint64_t first = addr - CALL_SIZE_MAX;
	uint8_t bytes[CALL_SIZE_MAX];
	struct code_view view;

	if (code_view_read(&known->view, first, bytes, sizeof(bytes)))
		return ends_in_call(known->process, addr, bytes, sizeof(bytes)) ? CALL_SITE
										: NO_SITE;
	known->source->find(known->source, first, &view);
	return code_view_read(&view, first, bytes, sizeof(bytes)) &&
			       ends_in_call(known->process, addr, bytes, sizeof(bytes))
		       ? CALL_SITE
		       : UNKNOWN_SITE;
}

static enum site site_in_dump(const struct process_code *process, uint64_t addr)
{
	size_t size;
	const uint8_t *code = process_code_before(process, addr, CALL_SIZE_MAX, &size);

	return code && ends_in_call(process, addr, code, size) ? CALL_SITE : UNKNOWN_SITE;
}

static enum site site_of(const struct known_code *known, uint64_t addr)
{
	const struct mapping *mapping;
	struct elf_module *module = process_code_module(known->process, addr - 1, &mapping);

	if (!module || !mapping->is_exec)
		return NO_SITE;
	if (!elf_module_is_anonymous(module))
		return site_in_file(known->process, addr);
	enum site site = known->source ? site_in_view(known, addr) : UNKNOWN_SITE;
	return site == UNKNOWN_SITE ? site_in_dump(known->process, addr) : site;
}

/* Frame pointers go up and end with zero; code that keeps none may use the register for a value. */
static bool is_chain(const struct known_code *known, uint64_t slot, const struct regs *caller)
{
	const struct arch *arch = known->process->arch;
	uint64_t fp = caller->values[arch->fp];

	return regs_have(caller, arch->fp) &&
	       (fp == 0 || (fp > slot && fp - known->stack->start < known->stack->size &&
			    fp % arch->pointer_size == 0));
}

static bool try_rule(const struct known_code *known, const struct code_rule *rule, bool is_exact,
		     struct regs *regs)
{
	const struct arch *arch = known->process->arch;
	struct regs caller = *regs;
	enum unwind_end end;
	uint64_t slot;

	if (!code_rule_return_slot(rule, arch, known->stack, regs, &slot) ||
	    !code_rule_apply(rule, arch, known->stack, &caller, is_exact, &end))
		return false;
	enum site site = site_of(known, caller.pc);
	if (site == NO_SITE || (site == UNKNOWN_SITE && !is_chain(known, slot, &caller)))
		return false;
	caller.valid &= 1ull << arch->sp | 1ull << arch->fp | 1ull << arch->ra;
	*regs = caller;
	return true;
}

/* The rule on which all ways to return agree, except for the size of the dropped arguments. NULL:
 * they disagree. */
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

/*
 * The rule of all ways from @pc. false: they do not agree, or cannot be followed. Pages contain
 * other functions next to the frame's. A way that enters one of them, after a call that never
 * returns, looks like the frame's own if the frame's return is out of reach. So every way of a
 * caller must have been followed to its end.
 */
static bool follow(struct code_scan *scan, const struct known_code *known, const uint8_t *bytes,
		   bool is_exact, uint64_t pc, struct code_rule *rule_ret)
{
	const struct code code = { .arch = known->process->arch,
				   .start = known->start,
				   .bytes = bytes,
				   .size = known->size,
				   .keeps_frame_pointer_only = true };
	struct code_outcomes outcomes;

	code_scan_returns(scan, &code, pc, is_exact, &outcomes);
	bool is_cut = known->source && !is_exact && !outcomes.is_complete;
	const struct code_rule *rule =
		outcomes.is_ambiguous || is_cut ? NULL : find_rule(&outcomes);
	if (rule)
		*rule_ret = *rule;
	return rule;
}

/* A position in code that was followed, and the bytes around it. The bytes of a jitdump belong to
 * its module. */
struct made_key {
	const struct arch *arch; /* NULL: an empty slot */
	const uint8_t *pages[2 * CODE_VIEW_PAGES];
	uint64_t pc, offset, size;
	uint32_t module;
	bool is_exact;
};

/* The result of following the code. */
struct made_rule {
	struct made_key key;
	bool is_known;
	struct code_rule rule;
};

struct made_rules {
	struct made_rule slots[1u << MADE_RULES_BITS]; /* direct-mapped */
};

struct made_rules *made_rules_create(void)
{
	/* Zeroed pages are not touched before they are used. */
	return calloc(1, sizeof(struct made_rules));
}

void made_rules_destroy(struct made_rules *rules)
{
	free(rules);
}

static bool key_equal(const struct made_key *a, const struct made_key *b)
{
	return a->arch == b->arch && a->pc == b->pc && a->offset == b->offset &&
	       a->size == b->size && a->module == b->module && a->is_exact == b->is_exact &&
	       memcmp(a->pages, b->pages, sizeof(a->pages)) == 0;
}

static struct made_key key_of(const struct known_code *known, uint64_t pc, bool is_exact)
{
	struct made_key key = {
		.arch = known->process->arch, .pc = pc, .size = known->size, .is_exact = is_exact
	};

	if (known->mapping) {
		key.module = known->mapping->module;
		key.offset = known->mapping->offset;
	}
	for (size_t i = 0; i < known->view.n_pages; i++) {
		key.pages[2 * i] = known->view.before[i];
		key.pages[2 * i + 1] = known->view.after[i];
	}
	return key;
}

static bool follow_view(struct code_scan *scan, const struct known_code *known, bool is_exact,
			uint64_t pc, struct code_rule *rule_ret)
{
	uint8_t bytes[CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE];

	code_view_fill(&known->view, bytes);
	return follow(scan, known, bytes, is_exact, pc, rule_ret);
}

static bool follow_dump(struct code_scan *scan, const struct known_code *known, bool is_exact,
			uint64_t pc, struct code_rule *rule_ret)
{
	struct elf_module *module =
		elf_modules_get(known->process->elf_modules, known->mapping->module);
	const uint8_t *bytes = elf_module_bytes(module, known->mapping->offset, known->size);

	return bytes && follow(scan, known, bytes, is_exact, pc, rule_ret);
}

/* Moves @regs to the caller by the result, new or kept, of following the code at their pc. */
static bool guess_by_known_code(struct made_rules *rules, struct code_scan *scan,
				const struct known_code *known, bool is_exact, struct regs *regs)
{
	const struct arch *arch = known->process->arch;
	const uint64_t pc = regs->pc;

	if (!arch->decode || arch->pointer_size != 8 ||
	    pc - !is_exact - known->start >= known->size)
		return false;
	const struct made_key key = key_of(known, pc, is_exact);
	uint64_t hash = pc ^ (uint64_t)key.module << 40 ^ (uintptr_t)key.pages[0];
	struct made_rule *slot = &rules->slots[hash_to_bits(hash, MADE_RULES_BITS)];
	if (!key_equal(&slot->key, &key)) {
		slot->key = key;
		slot->is_known = known->mapping
					 ? follow_dump(scan, known, is_exact, pc, &slot->rule)
					 : follow_view(scan, known, is_exact, pc, &slot->rule);
	}
	return slot->is_known && try_rule(known, &slot->rule, is_exact, regs);
}

bool guess_by_code_view(struct made_rules *rules, struct code_scan *scan,
			const struct process_code *process, const struct stack_copy *stack,
			const struct code_source *source, bool is_exact, struct regs *regs)
{
	struct known_code known = { .process = process, .stack = stack, .source = source };

	source->find(source, regs->pc - !is_exact, &known.view);
	known.start = known.view.start;
	known.size = known.view.n_pages * CODE_VIEW_PAGE_SIZE;
	return known.size && guess_by_known_code(rules, scan, &known, is_exact, regs);
}

bool guess_by_dumped_code(struct made_rules *rules, struct code_scan *scan,
			  const struct process_code *process, const struct stack_copy *stack,
			  bool is_exact, struct regs *regs)
{
	struct known_code known = { .process = process, .stack = stack };
	struct elf_module *module =
		process_code_module(process, regs->pc - !is_exact, &known.mapping);

	if (!module || !elf_module_is_anonymous(module))
		return false;
	known.start = known.mapping->start;
	known.size = known.mapping->end - known.mapping->start;
	return guess_by_known_code(rules, scan, &known, is_exact, regs);
}
