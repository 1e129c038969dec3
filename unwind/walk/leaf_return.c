/* Calls are looked up once, and so is whether what they call leads to a sampled instruction. */
#include "unwind/walk/leaf_return.h"

#include "cct/base/hash.h"
#include "unwind/cfi/cfi.h"
#include "unwind/guess/guess.h"

/*
 * A leaf's CFI is wrong if it leads to an address that does not follow a call. Where processes and
 * threads begin, or a handler returns to, there need be none; and code made at run time has no
 * bytes.
 */
static enum step_returns find_returns(const struct unwind_walk *walk, const struct step *step)
{
	const struct process_code process = process_of(walk);
	const struct rule *rule = &step->rule;
	bool has_caller = rule->kind == RULE_CFA_REGISTER || rule->kind == RULE_CFA_MEMORY ||
			  (rule->kind == RULE_GENERAL && !rule->general->is_signal_frame);
	int64_t distance;
	size_t size;

	if (!step->is_exec)
		return RETURNS_NEVER;
	if (!has_caller || step->is_before_special)
		return RETURNS_MAYBE;
	const uint8_t *code = process_code_before(&process, step->addr + 1, CALL_SIZE_MAX, &size);
	if (!code)
		return RETURNS_MAYBE;
	if (!walk->arch->ends_in_call(code, size, &distance))
		return RETURNS_NEVER;
	return distance ? RETURNS_FROM_CALLED : RETURNS_MAYBE;
}

/* What the call before @step leads to; looked up once. */
static struct call_site *find_site(const struct unwind_walk *walk, const struct step *step)
{
	const uint64_t to_offset = step->offset - step->addr;
	const uint64_t hash = step->offset ^ (uint64_t)step->module << 40;
	struct call_site *site = &walk->unwinder->sites[hash_to_bits(hash, SITE_BITS)];
	const struct process_code process = process_of(walk);
	struct called_function called;

	if (site->arch == step->arch && site->return_address == step->offset + 1 &&
	    site->module == step->module)
		return site;
	*site = (struct call_site){ .arch = step->arch,
				    .return_address = step->offset + 1,
				    .module = step->module };
	site->leads_anywhere = !guess_called(&process, step->addr + 1, &called) ||
			       called.module != step->module || called.to_offset != to_offset;
	if (!site->leads_anywhere) {
		site->function = called.function;
		site->start = called.start;
		site->end = called.end;
	}
	return site;
}

/* Whether the row of the sampled instruction counts from a register that a function keeps.
 * longjmp() and the like have rows of the frame that they jump to. */
static bool has_frame(const struct unwind_walk *walk)
{
	const uint64_t pc = walk->sample->regs.pc;
	const struct mapping *mapping = steps_find_mapping(walk->unwinder, walk->space, pc);
	const struct arch *arch = walk->arch;
	struct known_rule known;

	if (!mapping)
		return false;
	steps_find_rule(walk->unwinder, arch, mapping->module,
			pc - mapping->start + mapping->offset, &known);
	const struct rule *rule = &known.rule;
	return (rule->kind == RULE_CFA_REGISTER || rule->kind == RULE_CFA_MEMORY) &&
	       (rule->cfa_reg == arch->sp || arch->callee_saved >> rule->cfa_reg & 1);
}

/* The place for the answer whether @site's function leads to offset @to of @to_module. */
static struct call_pair *pair_slot(const struct unwind_walk *walk, const struct call_site *site,
				   uint32_t to_module, uint64_t to)
{
	const uint64_t hash = hash_pair(to ^ (uint64_t)to_module << 40,
					site->function ^ (uint64_t)site->module << 40);

	return &walk->unwinder->pairs[hash >> (32 - PAIR_BITS)];
}

/* That answer. NULL: it is not known. */
static const struct call_pair *find_pair(const struct unwind_walk *walk,
					 const struct call_site *site, uint32_t to_module,
					 uint64_t to)
{
	const struct call_pair *pair = pair_slot(walk, site, to_module, to);
	bool is_known = pair->arch == site->arch && pair->function == site->function &&
			pair->to == to && pair->module == site->module &&
			pair->to_module == to_module;

	return is_known ? pair : NULL;
}

static bool is_known_to_lead(const struct unwind_walk *walk, const struct call_site *site,
			     uint32_t to_module, uint64_t to)
{
	const struct call_pair *pair = find_pair(walk, site, to_module, to);

	return pair && pair->may_lead;
}

static void keep_pair(const struct unwind_walk *walk, const struct call_site *site,
		      uint32_t to_module, uint64_t to, bool may_lead)
{
	*pair_slot(walk, site, to_module, to) = (struct call_pair){ .arch = site->arch,
								    .function = site->function,
								    .to = to,
								    .module = site->module,
								    .to_module = to_module,
								    .may_lead = may_lead };
}

/* Whether @site's function, at the address @function, leads to the sampled instruction, in @leafs.
 * Nearly all calls that do have a tail call there: the code is followed for the others alone. */
static enum code_reach find_reach(const struct unwind_walk *walk, const struct call_site *site,
				  uint64_t function, const struct cfi_function *leafs)
{
	const struct process_code process = process_of(walk);

	if (walk->frame.module == site->module &&
	    guess_jumps_to(&process, function, site->end - site->function, leafs))
		return CODE_REACHES;
	return guess_may_lead(walk->unwinder->guesser, &process, function, walk->sample->regs.pc);
}

/* Whether @site's function, at the address @function, may lead to the function that CFI describes
 * around the sampled instruction. */
static bool may_lead_to_function(const struct unwind_walk *walk, struct call_site *site,
				 uint64_t function)
{
	const struct process_code process = process_of(walk);
	const uint32_t leaf_module = walk->frame.module;
	struct cfi_function leafs;

	site->leads_anywhere = is_known_to_lead(walk, site, 0, 0);
	if (site->leads_anywhere || !guess_described(&process, walk->sample->regs.pc, &leafs) ||
	    is_known_to_lead(walk, site, leaf_module, leafs.start))
		return true;
	const enum code_reach reach = find_reach(walk, site, function, &leafs);
	site->leads_anywhere = reach == CODE_REACHES_ANY;
	if (reach == CODE_REACHES_ANY)
		keep_pair(walk, site, 0, 0, true);
	if (reach == CODE_REACHES)
		keep_pair(walk, site, leaf_module, leafs.start, true);
	return reach != CODE_ENDS_BEFORE;
}

/* Whether the call before @step can have led to the sampled instruction, whose frame is still the
 * present one. */
static bool may_lead_to_leaf(const struct unwind_walk *walk, const struct step *step)
{
	struct call_site *site = find_site(walk, step);
	const struct frame *leaf = &walk->frame;

	if (site->leads_anywhere ||
	    (leaf->module == site->module && leaf->offset - site->start < site->end - site->start))
		return true;
	const struct call_pair *pair = find_pair(walk, site, leaf->module, leaf->offset);
	if (pair)
		return pair->may_lead;
	bool may_lead =
		!has_frame(walk) ||
		may_lead_to_function(walk, site, site->function - step->offset + step->addr);
	keep_pair(walk, site, leaf->module, leaf->offset, may_lead);
	return may_lead;
}

bool leaf_may_return_to(const struct unwind_walk *walk, struct step *step)
{
	if (!step)
		return false;
	if (step->returns == RETURNS_UNKNOWN)
		step->returns = (uint8_t)find_returns(walk, step);
	return step->returns == RETURNS_MAYBE ||
	       (step->returns == RETURNS_FROM_CALLED && may_lead_to_leaf(walk, step));
}
