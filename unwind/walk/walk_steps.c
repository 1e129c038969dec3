/* The rules of addresses, looked up once. */
#include "unwind/walk/walk_steps.h"

#include "unwind/guess/guess.h"
#include "unwind/rules/usual_frame.h"

/* A rule is one architecture's. Neither files nor user addresses reach these bits. */
static uint64_t rule_key(const struct arch *arch, uint64_t offset)
{
	return offset ^ (uint64_t)arch->elf_machine << 56;
}

void steps_find_rule(struct unwinder *unwinder, const struct arch *arch, uint32_t module,
		     uint64_t offset, struct known_rule *rule_ret)
{
	const uint64_t key = rule_key(arch, offset);
	struct elf_module *elf_module;

	if (module && rule_cache_get(unwinder->rules, module, key, rule_ret)) {
		unwinder->stats.n_rule_hits++;
		return;
	}
	unwinder->stats.n_rule_misses++;
	*rule_ret = (struct known_rule){ .rule = { .kind = RULE_NONE } };
	elf_module = elf_modules_get(unwinder->elf_modules, module);
	if (!elf_module)
		return;
	bool follows_stack = elf_module_find_rule(elf_module, arch, offset, &rule_ret->rule);
	if (follows_stack && !arch->has_wrong_cfi)
		rule_ret->row = ROW_IS_TRUSTED;
	rule_ret->is_before_special = elf_module_begins_special(elf_module, arch, offset + 1);
	rule_cache_put(unwinder->rules, module, key, rule_ret);
}

/* A signal trampoline whose CFI begins a byte early, as glibc's does, needs nothing. */
static bool is_before_special(struct unwinder *unwinder, const struct address_space *space,
			      const struct arch *arch, uint64_t addr,
			      const struct known_rule *known)
{
	const struct process_code process = { unwinder->elf_modules, space, arch };
	const struct rule *rule = &known->rule;
	bool has_early_cfi = rule->kind == RULE_GENERAL && rule->general->is_signal_frame;

	return known->is_before_special && !has_early_cfi &&
	       !guess_follows_call(&process, addr + 1);
}

/* Most are in the same mapping as the one before. */
const struct mapping *steps_find_mapping(struct unwinder *unwinder,
					 const struct address_space *space, uint64_t addr)
{
	struct mapping *last = &unwinder->mapping;

	if (unwinder->mapping_epoch == space->epoch && addr - last->start < last->end - last->start)
		return last;
	const struct mapping *mapping = address_space_find(space, addr);
	if (!mapping)
		return NULL;
	*last = *mapping;
	unwinder->mapping_epoch = space->epoch;
	return last;
}

struct step *steps_fill(struct unwinder *unwinder, struct step *step,
			const struct address_space *space, const struct arch *arch, uint64_t addr)
{
	const struct mapping *mapping = steps_find_mapping(unwinder, space, addr);
	struct known_rule known;

	if (!mapping)
		return NULL;
	if (!mapping->is_exec)
		step = &unwinder->uncached;
	const uint64_t offset = addr - mapping->start + mapping->offset;
	steps_find_rule(unwinder, arch, mapping->module, offset, &known);
	const bool is_special = is_before_special(unwinder, space, arch, addr, &known);
	*step = (struct step){
		.code_epoch = space->code_epoch,
		.addr = addr,
		.arch = arch,
		.offset = offset,
		.module = mapping->module,
		.is_exec = mapping->is_exec,
		.is_before_special = is_special,
		.is_usual = mapping->is_exec && !is_special && arch->usual_caller &&
			    usual_frame_rule(&known.rule),
		.row = known.row,
		.caller = &unwinder->no_step,
		.rule = known.rule,
	};
	return step;
}

enum row_check steps_find_row(struct unwinder *unwinder, const struct arch *arch,
			      const struct step *step)
{
	struct elf_module *module = elf_modules_get(unwinder->elf_modules, step->module);
	const bool has_code = module && !elf_module_is_anonymous(module);
	const uint64_t key = rule_key(arch, step->offset);
	struct known_rule known = { .row = ROW_NOT_CHECKED };
	const bool is_kept =
		step->module && rule_cache_get(unwinder->rules, step->module, key, &known);

	if (known.row != ROW_NOT_CHECKED)
		return (enum row_check)known.row;
	known.row = (uint8_t)(has_code ? row_check(module, arch, step->offset, &step->rule)
				       : ROW_AGREES);
	if (is_kept)
		rule_cache_put(unwinder->rules, step->module, key, &known);
	return (enum row_check)known.row;
}
